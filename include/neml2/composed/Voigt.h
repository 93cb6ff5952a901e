// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/types.h"

/// Functions for Voigt's notation, computed by LibTorch calls.
namespace neml2::composed
{
/// Multiplies the shear entries of the last dimension by a factor. (..., 6) -> (..., 6)
inline at::Tensor
scale_shear(const at::Tensor & t, double factor)
{
  return at::cat({t.slice(-1, 0, 3), t.slice(-1, 3, 6) * factor}, -1);
}

/// Multiplies the shear entries of the last dimension, and then of the dimension before it, by a factor. (..., 6, 6) -> (..., 6, 6)
inline at::Tensor
scale_both_shears(const at::Tensor & t, double factor)
{
  return scale_shear(scale_shear(t, factor).transpose(-1, -2), factor).transpose(-1, -2);
}
} // namespace neml2::composed
