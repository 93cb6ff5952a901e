// SPDX-License-Identifier: MIT
#pragma once

#include "support/reference.h"

/// Rotations computed from their definitions, in plain ATen.
namespace neml2::test
{
/// The matrix of modified Rodrigues parameters r = n tan(θ/4), as the exponential of -ε_ijk n_k θ.
/// (..., 3) -> (..., 3, 3)
inline at::Tensor
rotation_of(const at::Tensor & r)
{
  const at::Tensor length = at::sqrt((r * r).sum(-1, true));
  const at::Tensor axial = r / length * (4 * at::atan(length));
  return at::matrix_exp(-at::einsum("ijk,...k->...ij", {permutation(), axial}));
}

/// R_ij v_j
inline at::Tensor
rotated(const at::Tensor & v, const at::Tensor & R)
{
  return at::einsum("...ij,...j->...i", {R, v});
}

/// R_ik A_kl R_jl
inline at::Tensor
rotated2(const at::Tensor & A, const at::Tensor & R)
{
  return at::einsum("...ik,...kl,...jl->...ij", {R, A, R});
}

/// R_im R_jn R_ko R_lp C_mnop, one index at a time.
inline at::Tensor
rotated4(const at::Tensor & C, const at::Tensor & R)
{
  at::Tensor r = at::einsum("...lp,...mnop->...mnol", {R, C});
  r = at::einsum("...ko,...mnol->...mnkl", {R, r});
  r = at::einsum("...jn,...mnkl->...mjkl", {R, r});
  return at::einsum("...im,...mjkl->...ijkl", {R, r});
}
} // namespace neml2::test
