// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/R4.h"

/// Systems of linear equations, solved by LibTorch calls.
namespace neml2::composed
{
/// The solution X_kj of A_ik X_kj = B_ij. (..., n, n), (..., n, k) -> (..., n, k)
inline at::Tensor
solve_matrix(const at::Tensor & A, const at::Tensor & B)
{
  return solve_or_nan(A, B).first;
}

/// The solution x_k of A_ik x_k = b_i. (..., n, n), (..., n) -> (..., n)
inline at::Tensor
solve_vector(const at::Tensor & A, const at::Tensor & b)
{
  return solve_matrix(A, b.unsqueeze(-1)).squeeze(-1);
}

/// The solution X_kl of T_ijkl X_kl = B_ij. (..., 3, 3, 3, 3), (..., 3, 3) -> (..., 3, 3)
inline at::Tensor
solve_second(const at::Tensor & T, const at::Tensor & B)
{
  return solve_vector(pairs(T), B.flatten(-2)).unflatten(-1, at::IntArrayRef({3, 3}));
}

/// The solution X_mnkl of T_ijmn X_mnkl = B_ijkl. (..., 3, 3, 3, 3), (..., 3, 3, 3, 3) -> (..., 3, 3, 3, 3)
inline at::Tensor
solve_fourth(const at::Tensor & T, const at::Tensor & B)
{
  return unpaired(solve_matrix(pairs(T), pairs(B)));
}
} // namespace neml2::composed
