// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/SR2.h"

/// Fourth order products of matrices, computed by LibTorch calls.
namespace neml2::composed
{
/// A_ik B_jl. (..., n, n), (..., n, n) -> (..., n, n, n, n)
inline at::Tensor
kronecker(const at::Tensor & A, const at::Tensor & B)
{
  return A.unsqueeze(-2).unsqueeze(-1) * B.unsqueeze(-3).unsqueeze(-2);
}

/// A_ik B_jl with the pairs ij and kl flattened. (..., 3, 3), (..., 3, 3) -> (..., 9, 9)
inline at::Tensor
kronecker_of_pairs(const at::Tensor & A, const at::Tensor & B)
{
  return kronecker(A, B).flatten(-2).flatten(-3, -2);
}

/// A_il B_jk. (..., n, n), (..., n, n) -> (..., n, n, n, n)
inline at::Tensor
kron_transposed(const at::Tensor & A, const at::Tensor & B)
{
  return kronecker(A, B).transpose(-1, -2);
}

/// (A_ik B_jl + A_il B_jk + B_ik A_jl + B_il A_jk) / 4 in Mandel components.
/// (..., 3, 3), (..., 3, 3) -> (..., 6, 6)
inline at::Tensor
sym_kron(const at::Tensor & A, const at::Tensor & B)
{
  return sym_pairs(kronecker_of_pairs(A, B));
}
} // namespace neml2::composed
