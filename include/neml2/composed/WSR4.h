// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/R4.h"

/// Derivatives of a skew tensor with respect to a symmetric one, computed by LibTorch calls.
namespace neml2::composed
{
/// (T_ijkl + T_ijlk) / 2 at ij = 21, 02, 10, in Mandel components of kl. (..., 3, 3, 3, 3) -> (..., 3, 6)
inline at::Tensor
skew_by_sym(const at::Tensor & T)
{
  return matrix_product(pick_skew(pairs(T), -2), mandel_basis(T.options()).t());
}
} // namespace neml2::composed
