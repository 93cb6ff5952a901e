// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/diagonal.h"
#include "neml2/math/difference.h"
#include "neml2/math/join.h"
#include "neml2/math/reduction.h"

/// Functions of NEML2 2.1 along dynamic and along intermediate dimensions. dynamic_x is batch_x. intmd_x throws, because tensors
/// have no intermediate dimensions in this library.
namespace neml2
{
namespace math
{
/// Throws the error of all intmd_ functions.
[[noreturn]] NEML2_COLD inline void
fail_intermediate(const char * name, const char * instead)
{
  fail(name,
       ": tensors have no intermediate dimensions here: all dimensions before the base are batch "
       "dimensions. Use ",
       instead,
       " with the dimension counted among the batch dimensions.");
}
} // namespace math

/// See batch_cat(list, d).
template <class List, math::if_list<List> = 0>
math::element_t<List>
dynamic_cat(const List & list, Size d = 0)
{
  return batch_cat(list, d);
}
template <class T, core::if_tensor<T> = 0>
T
dynamic_cat(std::initializer_list<T> list, Size d = 0)
{
  return batch_cat(list, d);
}
/// See batch_stack(list, d).
template <class List, math::if_list<List> = 0>
math::element_t<List>
dynamic_stack(const List & list, Size d = 0)
{
  return batch_stack(list, d);
}
template <class T, core::if_tensor<T> = 0>
T
dynamic_stack(std::initializer_list<T> list, Size d = 0)
{
  return batch_stack(list, d);
}

/// Always throws, since tensors here have no intermediate dimensions. See batch_cat(list, d).
/// @throws NEMLException always.
template <class List, math::if_list<List> = 0>
math::element_t<List>
intmd_cat(const List &, Size = 0)
{
  math::fail_intermediate("intmd_cat", "batch_cat");
}
template <class T, core::if_tensor<T> = 0>
T
intmd_cat(std::initializer_list<T>, Size = 0)
{
  math::fail_intermediate("intmd_cat", "batch_cat");
}
/// Always throws, since tensors here have no intermediate dimensions. See batch_stack(list, d).
/// @throws NEMLException always.
template <class List, math::if_list<List> = 0>
math::element_t<List>
intmd_stack(const List &, Size = 0)
{
  math::fail_intermediate("intmd_stack", "batch_stack");
}
template <class T, core::if_tensor<T> = 0>
T
intmd_stack(std::initializer_list<T>, Size = 0)
{
  math::fail_intermediate("intmd_stack", "batch_stack");
}

/// See batch_sum(a, d).
template <class T, core::if_tensor<T> = 0>
T
dynamic_sum(const T & a, Size d = 0)
{
  return batch_sum(a, d);
}
/// See batch_mean(a, d).
template <class T, core::if_tensor<T> = 0>
T
dynamic_mean(const T & a, Size d = 0)
{
  return batch_mean(a, d);
}
/// See batch_sum_to_size(a, shape).
template <class T, core::if_tensor<T> = 0>
T
dynamic_sum_to_size(const T & a, const TraceableTensorShape & shape)
{
  return batch_sum_to_size(a, shape);
}

/// Always throws, since tensors here have no intermediate dimensions. See batch_sum(a, d).
/// @throws NEMLException always.
template <class T, core::if_tensor<T> = 0>
T
intmd_sum(const T &, Size = 0)
{
  math::fail_intermediate("intmd_sum", "batch_sum");
}
/// Always throws, since tensors here have no intermediate dimensions. See batch_mean(a, d).
/// @throws NEMLException always.
template <class T, core::if_tensor<T> = 0>
T
intmd_mean(const T &, Size = 0)
{
  math::fail_intermediate("intmd_mean", "batch_mean");
}
/// Returns a for the empty shape, the only shape of intermediate dimensions here. (...; base) -> (...; base)
/// @throws NEMLException for any other shape.
template <class T, core::if_tensor<T> = 0>
T
intmd_sum_to_size(const T & a, TensorShapeRef shape)
{
  if (!shape.empty())
    math::fail_intermediate("intmd_sum_to_size", "batch_sum_to_size");
  core::check_operand("intmd_sum_to_size", core::operand(a));
  return a;
}

/// See batch_max(a, d).
template <class T, core::if_tensor<T> = 0>
T
dynamic_max(const T & a, Size d = 0)
{
  return batch_max(a, d);
}
/// See batch_min(a, d).
template <class T, core::if_tensor<T> = 0>
T
dynamic_min(const T & a, Size d = 0)
{
  return batch_min(a, d);
}
/// See batch_argmax(a, d).
template <class T, core::if_tensor<T> = 0>
T
dynamic_argmax(const T & a, Size d = 0)
{
  return batch_argmax(a, d);
}
/// See batch_argmin(a, d).
template <class T, core::if_tensor<T> = 0>
T
dynamic_argmin(const T & a, Size d = 0)
{
  return batch_argmin(a, d);
}

/// Always throws, since tensors here have no intermediate dimensions. See batch_max(a, d).
/// @throws NEMLException always.
template <class T, core::if_tensor<T> = 0>
T
intmd_max(const T &, Size = 0)
{
  math::fail_intermediate("intmd_max", "batch_max");
}
/// Always throws, since tensors here have no intermediate dimensions. See batch_min(a, d).
/// @throws NEMLException always.
template <class T, core::if_tensor<T> = 0>
T
intmd_min(const T &, Size = 0)
{
  math::fail_intermediate("intmd_min", "batch_min");
}
/// Always throws, since tensors here have no intermediate dimensions. See batch_argmax(a, d).
/// @throws NEMLException always.
template <class T, core::if_tensor<T> = 0>
T
intmd_argmax(const T &, Size = 0)
{
  math::fail_intermediate("intmd_argmax", "batch_argmax");
}
/// Always throws, since tensors here have no intermediate dimensions. See batch_argmin(a, d).
/// @throws NEMLException always.
template <class T, core::if_tensor<T> = 0>
T
intmd_argmin(const T &, Size = 0)
{
  math::fail_intermediate("intmd_argmin", "batch_argmin");
}

/// See batch_diagonalize(a, d).
template <class T, core::if_tensor<T> = 0>
T
dynamic_diagonalize(const T & a, Size d = -1)
{
  return batch_diagonalize(a, d);
}
/// Always throws, since tensors here have no intermediate dimensions. See batch_diagonalize(a, d).
/// @throws NEMLException always.
template <class T, core::if_tensor<T> = 0>
T
intmd_diagonalize(const T &, Size = -1)
{
  math::fail_intermediate("intmd_diagonalize", "batch_diagonalize");
}

/// See batch_diff(a, n, d).
template <class T, core::if_tensor<T> = 0>
T
dynamic_diff(const T & a, Size n = 1, Size d = -1)
{
  return batch_diff(a, n, d);
}
/// See batch_linspace(start, end, nstep, d).
template <class T, core::if_tensor<T> = 0>
T
dynamic_linspace(const T & start, const T & end, Size nstep, Size d = 0)
{
  return batch_linspace(start, end, nstep, d);
}
/// See batch_logspace(start, end, nstep, d, base).
template <class T, core::if_tensor<T> = 0>
T
dynamic_logspace(const T & start, const T & end, Size nstep, Size d = 0, Real base = 10)
{
  return batch_logspace(start, end, nstep, d, base);
}

/// Always throws, since tensors here have no intermediate dimensions. See batch_diff(a, n, d).
/// @throws NEMLException always.
template <class T, core::if_tensor<T> = 0>
T
intmd_diff(const T &, Size = 1, Size = -1)
{
  math::fail_intermediate("intmd_diff", "batch_diff");
}
/// Always throws, since tensors here have no intermediate dimensions. See batch_linspace(start, end,
/// nstep, d).
/// @throws NEMLException always.
template <class T, core::if_tensor<T> = 0>
T
intmd_linspace(const T &, const T &, Size, Size = 0)
{
  math::fail_intermediate("intmd_linspace", "batch_linspace");
}
/// Always throws, since tensors here have no intermediate dimensions. See batch_logspace(start, end, nstep,
/// d, base).
/// @throws NEMLException always.
template <class T, core::if_tensor<T> = 0>
T
intmd_logspace(const T &, const T &, Size, Size = 0, Real = 10)
{
  math::fail_intermediate("intmd_logspace", "batch_logspace");
}
} // namespace neml2
