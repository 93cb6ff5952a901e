// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/R4.h"

/// Derivatives of a symmetric tensor with respect to a skew one, computed by LibTorch calls.
namespace neml2::composed
{
/// T_ijkl + T_jikl in Mandel components of ij, at kl = 21, 02, 10. (..., 3, 3, 3, 3) -> (..., 6, 3)
inline at::Tensor
sym_by_skew(const at::Tensor & T)
{
  return pick_skew(at::matmul(mandel_basis(T.options()), pairs(T)) * 2, -1);
}
} // namespace neml2::composed
