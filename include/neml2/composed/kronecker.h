// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/R4.h"

/// Fourth order products of matrices, in LibTorch calls.
namespace neml2::composed
{
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
  return sym_fourth(kronecker(A, B));
}
} // namespace neml2::composed
