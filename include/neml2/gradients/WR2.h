// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/gradients/arithmetic.h"
#include "neml2/gradients/rotation.h"
#include "neml2/tensors/WR2-inl.h"
#include "neml2/tensors/exponential_map-inl.h"

namespace neml2::gradients
{
inline const bool has_WR2_rules = []
{
  add_scalar_rules<WR2>();
  add_gradient_rule<tensors::SkewPart, WR2, R2>([](const WR2 & g, const R2 &)
                                                { return full(g) * 0.5; });
  add_gradient_rule<tensors::ExpMap, Rot, WR2>(
      [](const Rot & g, const WR2 & w)
      {
        return evaluate<Vec>(
            "exp_map",
            [](const auto & h, const auto & x) { return dexp_map(x) * vector(h); },
            g,
            w);
      });
  return true;
}();
} // namespace neml2::gradients
