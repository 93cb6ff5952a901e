// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/SR2.h"
#include "neml2/core/shape.h"

/// Functions of vectors, computed by LibTorch calls.
namespace neml2::composed
{
/// ε_ijk a_j b_k. (..., 3), (..., 3) -> (..., 3)
inline at::Tensor
cross_last(const at::Tensor & a, const at::Tensor & b)
{
  const auto n = std::max(a.dim(), b.dim()); // linalg_cross needs equal numbers of dimensions
  return at::linalg_cross(prepend_dims(a, n), prepend_dims(b, n), -1);
}

/// a_i b_j. (..., m), (..., n) -> (..., m, n)
inline at::Tensor
outer_last(const at::Tensor & a, const at::Tensor & b)
{
  return a.unsqueeze(-1) * b.unsqueeze(-2);
}

/// v_i v_j in Mandel components. (..., 3) -> (..., 6)
inline at::Tensor
self_outer(const at::Tensor & v)
{
  return sym(outer_last(v, v));
}

/// R_ij v_j with the matrix R of r. (..., 3), (..., 3) -> (..., 3)
inline at::Tensor
rotate_vector_by_parameters(const at::Tensor & v, const at::Tensor & r)
{
  return matrix_vector(rotation_matrix(r), v);
}

/// ∂(R_il v_l)/∂R_jk = δ_ij v_k. (..., 3), (..., 3, 3) -> (..., 3, 3, 3)
inline at::Tensor
drotate_vector(const at::Tensor & v, const at::Tensor & R)
{
  TensorShape batch(v.sizes().begin(), v.sizes().end() - 1);
  broadcast_into(batch, R.sizes().slice(0, size_t(R.dim() - 2)));
  const at::Tensor I = at::eye(3, v.options()).unsqueeze(-1);
  const at::Tensor d = I * v.unsqueeze(-2).unsqueeze(-2);
  return d.expand(utils::add_shapes(batch, {3, 3, 3})).contiguous();
}

/// ∂(R_ij v_j)/∂r_k with the matrix R of r. (..., 3), (..., 3) -> (..., 3, 3)
inline at::Tensor
drotate_vector_by_parameters(const at::Tensor & v, const at::Tensor & r)
{
  return at::matmul(skew(-rotate_vector_by_parameters(v, r)), spin_by_rate(r));
}
} // namespace neml2::composed
