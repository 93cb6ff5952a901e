// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/gradients/rules.h"
#include "neml2/tensors/skew_products-inl.h"

namespace neml2::gradients
{
inline const bool has_skew_product_rules = []
{
  // As a map of e, skew_and_sym_to_sym is minus its own adjoint. As a map of w, it is twice the adjoint of multiply_and_make_skew
  add_gradient_rule<tensors::SkewAndSymToSym, SR2, SR2, WR2>(
      [](const SR2 & g, const SR2 &, const WR2 & w) { return -skew_and_sym_to_sym(g, w); },
      [](const SR2 & g, const SR2 & e, const WR2 &) { return multiply_and_make_skew(g, e) * 2.0; });
  add_gradient_rule<tensors::MultiplyAndMakeSkew, WR2, SR2, SR2>(
      [](const WR2 & g, const SR2 &, const SR2 & b) { return skew_and_sym_to_sym(b, g) * 0.5; },
      [](const WR2 & g, const SR2 & a, const SR2 &) { return skew_and_sym_to_sym(a, g) * -0.5; });
  return true;
}();
} // namespace neml2::gradients
