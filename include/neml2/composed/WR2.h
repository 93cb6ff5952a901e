// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/types.h"

/// Functions of skew second order tensors as axial vectors, computed by LibTorch calls.
namespace neml2::composed
{
/// Axial vector (A_21 - A_12, A_02 - A_20, A_10 - A_01) / 2 of the skew part. (..., 3, 3) -> (..., 3)
inline at::Tensor
skew_part(const at::Tensor & A)
{
  const at::Tensor twice = A - A.transpose(-1, -2);
  const auto entry = [&](Size i, Size j) { return twice.select(-2, i).select(-1, j); };
  const at::Tensor entries[] = {entry(2, 1), entry(0, 2), entry(1, 0)};
  return at::stack(entries, -1) / 2;
}
} // namespace neml2::composed
