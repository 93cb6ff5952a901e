// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/R4.h"

/// Derivatives of a skew tensor with respect to a skew one, computed by LibTorch calls.
namespace neml2::composed
{
/// T_ijkl - T_jikl - T_ijlk + T_jilk at ij and kl = 21, 02, 10. (..., 3, 3, 3, 3) -> (..., 3, 3)
inline at::Tensor
skew_by_skew(const at::Tensor & T)
{
  return rotate_matrix(pairs(T), skew_basis(T.options()));
}
} // namespace neml2::composed
