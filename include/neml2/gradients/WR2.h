// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/gradients/arithmetic.h"
#include "neml2/tensors/WR2-inl.h"

namespace neml2::gradients
{
inline const bool has_WR2_rules = []
{
  add_scalar_rules<WR2>();
  add_gradient_rule<tensors::SkewPart, WR2, R2>([](const WR2 & g, const R2 &)
                                                { return full(g) * 0.5; });
  return true;
}();
} // namespace neml2::gradients
