// SPDX-License-Identifier: MIT
#pragma once

#include <ATen/ATen.h>

#include <cmath>

/// Expected values in plain ATen, computed from the definitions on full tensors.
namespace neml2::test
{
/// Orthonormal basis of the symmetric matrices in Mandel's order: (6, 3, 3).
inline at::Tensor
mandel_basis()
{
  const double r = 1 / std::sqrt(2.0);
  at::Tensor b = at::zeros({6, 3, 3}, at::kDouble);
  for (int k = 0; k < 3; k++)
    b[k][k][k] = 1;
  b[3][1][2] = b[3][2][1] = r;
  b[4][0][2] = b[4][2][0] = r;
  b[5][0][1] = b[5][1][0] = r;
  return b;
}

/// s_ij from Mandel components. (..., 6) -> (..., 3, 3)
inline at::Tensor
full_of(const at::Tensor & s)
{
  return at::einsum("...k,kij->...ij", {s, mandel_basis()});
}

/// Mandel components of the symmetric part. (..., 3, 3) -> (..., 6)
inline at::Tensor
stored_of(const at::Tensor & A)
{
  return at::einsum("...ij,kij->...k", {A, mandel_basis()});
}

/// C_ijkl from Mandel components. (..., 6, 6) -> (..., 3, 3, 3, 3)
inline at::Tensor
full4_of(const at::Tensor & C)
{
  return at::einsum("...pq,pij,qkl->...ijkl", {C, mandel_basis(), mandel_basis()});
}

/// Mandel components of the part with both minor symmetries. (..., 3, 3, 3, 3) -> (..., 6, 6)
inline at::Tensor
stored4_of(const at::Tensor & C)
{
  return at::einsum("...ijkl,pij,qkl->...pq", {C, mandel_basis(), mandel_basis()});
}

/// ε_ijk. (3, 3, 3)
inline at::Tensor
permutation()
{
  at::Tensor e = at::zeros({3, 3, 3}, at::kDouble);
  for (int i = 0; i < 3; i++)
  {
    e[i][(i + 1) % 3][(i + 2) % 3] = 1;
    e[i][(i + 2) % 3][(i + 1) % 3] = -1;
  }
  return e;
}

/// δ_ij. (3, 3)
inline at::Tensor
delta()
{
  return at::eye(3, at::kDouble);
}

/// A_kk δ_ij / 3. (..., 3, 3) -> (..., 3, 3)
inline at::Tensor
volumetric(const at::Tensor & A)
{
  return at::einsum("...kk,ij->...ij", {A, delta()}) / 3;
}

/// Σ over the last n dimensions.
inline at::Tensor
sum_last(const at::Tensor & t, int64_t n)
{
  return n == 1 ? t.sum(-1) : sum_last(t.sum(-1), n - 1);
}
} // namespace neml2::test
