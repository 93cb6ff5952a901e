// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/types.h"

/// Functions of Miller indices, computed by LibTorch calls.
namespace neml2::composed
{
/// Divides integers by their greatest common divisor; zeros stay zeros. (..., 3) -> (..., 3)
inline at::Tensor
over_common_divisor(const at::Tensor & m)
{
  const auto i = [&](Size k) { return m.slice(-1, k, k + 1); };
  const at::Tensor g = i(0).gcd(i(1)).gcd(i(2));
  return m.div(g + g.eq(0).to(g.scalar_type()), "trunc");
}
} // namespace neml2::composed
