// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/operators.h"
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

/// t with n size-1 dimensions on the right.
inline at::Tensor
append_dims(const at::Tensor & t, Size n)
{
  at::Tensor r = t;
  for (Size d = 0; d < n; d++)
    r = r.unsqueeze(-1);
  return r;
}

/// Σ a_i b_i over all base components of batches of one base shape, by LibTorch.
inline at::Tensor
contracted(const at::Tensor & a, const at::Tensor & b, Size base_dim)
{
  const at::Tensor product = a * b;
  return base_dim == 0 ? product
                       : product.contiguous()
                             .flatten(product.dim() - base_dim)
                             .sum(-1, /*keepdim=*/false, product.scalar_type());
}

/// √(Σ a_i a_i + epsilon) over all base components; its gradient at a = 0 is 0 where epsilon is.
inline at::Tensor
frobenius(const at::Tensor & a, Size base_dim, double epsilon)
{
  if (epsilon != 0)
    return at::sqrt(contracted(a, a, base_dim) + epsilon);
  const at::Tensor line = base_dim == 0 ? a.unsqueeze(-1) : a.flatten(a.dim() - base_dim);
  return at::linalg_vector_norm(line, 2, at::IntArrayRef(-1));
}

/// a / √(Σ a_i a_i + epsilon) over all base components.
inline at::Tensor
over_frobenius(const at::Tensor & a, Size base_dim, double epsilon)
{
  return a / append_dims(at::sqrt(contracted(a, a, base_dim) + epsilon), base_dim);
}

/// Σ a_i b_i over all base components.
template <class Result, class T>
Result
inner(const Operation & op, const T & a, const T & b)
{
  return evaluate_leaf<Result>(
      op,
      [](const auto & x, const auto & y) { return kernels::inner(x, y); },
      [](const T & x, const T & y) { return Result(contracted(x, y, x.base_dim())); },
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
      [](const T & a) { return Result(contracted(a, a, a.base_dim())); },
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
      [](const T & a, double e) { return Result(frobenius(a, a.base_dim(), e)); },
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
      [](const T & a, double e) { return T(over_frobenius(a, a.base_dim(), e)); },
      t,
      epsilon);
}
} // namespace neml2::core
