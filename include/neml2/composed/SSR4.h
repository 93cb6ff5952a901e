// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/R4.h"

/// Functions of fourth order tensors with both minor symmetries, computed by LibTorch calls. Pairs of indices are in Mandel components.
namespace neml2::composed
{
/// C_ijkl A_kl. (..., 6, 6), (..., 3, 3) -> (..., 6)
inline at::Tensor
mandel_pairs_matrix(const at::Tensor & C, const at::Tensor & A)
{
  return matrix_vector(C, sym(A));
}

/// The matrix that rotates Mandel components. (..., 3, 3) -> (..., 6, 6)
inline at::Tensor
mandel_rotation(const at::Tensor & R)
{
  return sym_kron(R, R);
}

/// R_im R_jn R_ko R_lp C_mnop. (..., 6, 6), (..., 3, 3) -> (..., 6, 6)
inline at::Tensor
rotate_mandel_pairs(const at::Tensor & C, const at::Tensor & R)
{
  return rotate_matrix(C, mandel_rotation(R));
}

/// rotate_mandel_pairs by the matrix R of the parameters r. (..., 6, 6), (..., 3) -> (..., 6, 6)
inline at::Tensor
rotate_mandel_pairs_by_parameters(const at::Tensor & C, const at::Tensor & r)
{
  return rotate_mandel_pairs(C, rotation_matrix(r));
}

/// The derivative with respect to r of rotate_mandel_pairs_by_parameters. (..., 6, 6), (..., 3) -> (..., 6, 6, 3)
inline at::Tensor
drotate_mandel_pairs_by_parameters(const at::Tensor & C, const at::Tensor & r)
{
  const at::Tensor turned = rotate_mandel_pairs_by_parameters(C, r);
  return rotation_derivative(turned, mandel_generators(C.options()), spin_by_rate(r));
}

/// The derivative with respect to C of rotate_mandel_pairs_by_parameters, expanded to the batch of both arguments: Q_IK Q_JL, where Q is
/// the mandel_rotation. (..., 6, 6), (..., 3) -> (..., 6, 6, 6, 6)
inline at::Tensor
drotate_self_mandel_pairs(const at::Tensor & C, const at::Tensor & r)
{
  const at::Tensor Q = mandel_rotation(rotation_matrix(r)), d = kronecker(Q, Q);
  return d.expand(utils::broadcast_sizes(d.sizes(), append_dims(C, 2).sizes()));
}

/// The gradient with respect to R, 2 Q_ijkl R_jl, from the gradient Q with respect to the mandel_rotation of R.
/// (..., 6, 6), (..., 3, 3) -> (..., 3, 3)
inline at::Tensor
mandel_rotation_gradient(const at::Tensor & Q, const at::Tensor & R)
{
  return fourth_times_second(full_pairs(Q).transpose(-3, -2), R) * 2;
}

/// Derivative of the inverse of a matrix, -M^-1_ik M^-1_lj; NaN where a pivot is 0.
/// (..., n, n) -> (..., n, n, n, n)
inline at::Tensor
dinverse_or_nan(const at::Tensor & M)
{
  const at::Tensor X = inverse_or_nan(M);
  return -kronecker(X, X.transpose(-1, -2));
}
} // namespace neml2::composed
