// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/aten.h"

#include "support/catch.h"

namespace neml2::test
{
/// The largest difference of two tensors of one shape, relative to numbers of about 1.
inline double
difference(const at::Tensor & a, const at::Tensor & b)
{
  REQUIRE(a.sizes() == b.sizes());
  return a.numel() == 0 ? 0.0 : ((a - b).abs() / (1 + b.abs())).max().item<double>();
}
} // namespace neml2::test
