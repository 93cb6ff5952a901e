// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/operators.h"
#include "neml2/kernels/Scalar.h"

/// Coarse ATen calls that the batch bodies of leaves are made of. Result is the type to return; it
/// is a template parameter because Scalar is complete only above this room.
namespace neml2::core
{
/// The tensor as LibTorch's own operators take it: all dimensions alike, no fused loop.
inline const at::Tensor &
raw(const at::Tensor & t)
{
  return t;
}

/// t with size-1 dimensions on the left until it has n.
inline at::Tensor
prepend_dims(const at::Tensor & t, Size n)
{
  at::Tensor r = t;
  while (r.dim() < n)
    r = r.unsqueeze(0);
  return r;
}

/// Σ a_i b_i over all base components, by LibTorch.
template <class T>
at::Tensor
component_dot(const T & a, const T & b)
{
  const at::Tensor x = a.flatten(a.batch_dim()), y = b.flatten(b.batch_dim());
  return (x * y).sum(-1, /*keepdim=*/false, a.scalar_type());
}

/// Σ a_i b_i over all base components.
template <class Result, class T>
Result
inner(const Operation & op, const T & a, const T & b)
{
  return evaluate_leaf<Result>(
      op,
      [](const auto & x, const auto & y) { return kernels::inner(x, y); },
      [](const T & x, const T & y) { return Result(component_dot(x, y)); },
      a,
      b);
}

/// Σ t_i t_i over all base components.
template <class Result, class T>
Result
norm_sq(const Operation & op, const T & t)
{
  return evaluate_leaf<Result>(
      op,
      [](const auto & a) { return kernels::norm_sq(a); },
      [](const T & a) { return Result(component_dot(a, a)); },
      t);
}

/// √(Σ t_i t_i + epsilon) over all base components. The gradient at t = 0 is 0 where epsilon is 0.
template <class Result, class T>
Result
norm(const T & t, double epsilon)
{
  return evaluate_leaf<Result>(
      "norm",
      [](const auto & a, const auto & e) { return kernels::norm(a, e); },
      [](const T & a, double e)
      {
        if (e != 0)
          return Result(at::sqrt(component_dot(a, a) + e));
        const at::Tensor flat = a.flatten(a.batch_dim());
        return Result(at::linalg_vector_norm(flat, 2, at::IntArrayRef(-1)));
      },
      t,
      epsilon);
}

/// t / √(Σ t_i t_i + epsilon) over all base components.
template <class T>
T
unit(const T & t, double epsilon)
{
  return evaluate_leaf<T>(
      "unit",
      [](const auto & a, const auto & e) { return a / kernels::norm(a, e); },
      [](const T & a, double e)
      {
        at::Tensor n = at::sqrt(component_dot(a, a) + e);
        for (Size d = 0; d < a.base_dim(); d++)
          n = n.unsqueeze(-1);
        return T(raw(a) / n);
      },
      t,
      epsilon);
}
} // namespace neml2::core
