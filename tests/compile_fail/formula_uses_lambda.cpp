// error: NEML2_FORMULA_USING: list only formulas with a text
// SPDX-License-Identifier: MIT
#include "neml2/math/formula.h"
#include "neml2/tensors/SR2.h"

using namespace neml2;

constexpr auto twice = [](const auto & x) { return 2.0 * x; }; // without its text

SR2
scaled(const SR2 & s)
{
  return vmap(NEML2_FORMULA_USING((twice), [](const auto & x) { return twice(x); }), s);
}
