// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/R2.h"

/// Functions of third order tensors, computed by LibTorch calls.
namespace neml2::composed
{
/// T_ijk v_k. (..., 3, 3, 3), (..., 3) -> (..., 3, 3)
inline at::Tensor
contract_k(const at::Tensor & T, const at::Tensor & v)
{
  return matrix_vector(T, v.unsqueeze(-2));
}
} // namespace neml2::composed
