// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/gradients/rules.h"
#include "neml2/tensors/R4-inl.h"

namespace neml2::gradients
{
inline const bool has_R4_rules = []
{
  // full and sym are adjoint to each other, because the map to Mandel components is an isometry
  add_gradient_rule<tensors::Full, R4, SSR4>([](const R4 & g, const SSR4 &) { return sym(g); });
  add_gradient_rule<tensors::Sym, SSR4, R4>([](const SSR4 & g, const R4 &) { return full(g); });
  add_gradient_rule<tensors::R4TimesR2, R2, R4, R2>(
      [](const R2 & g, const R4 &, const R2 & a) { return composed::outer_matrix(g, a); },
      [](const R2 & g, const R4 & T, const R2 &) { return g * T; });
  add_gradient_rule<tensors::R2TimesR4, R2, R2, R4>(
      [](const R2 & g, const R2 &, const R4 & T) { return T * g; },
      [](const R2 & g, const R2 & a, const R4 &) { return composed::outer_matrix(a, g); });
  add_gradient_rule<tensors::R4TimesR4, R4, R4, R4>(
      [](const R4 & g, const R4 &, const R4 & U) { return g * transpose_major(U); },
      [](const R4 & g, const R4 & T, const R4 &) { return transpose_major(T) * g; });
  return true;
}();
} // namespace neml2::gradients
