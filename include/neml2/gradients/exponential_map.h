// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/gradients/rotation.h"
#include "neml2/tensors/exponential_map-inl.h"

namespace neml2::gradients
{
inline const bool has_exponential_map_rules = []
{
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
