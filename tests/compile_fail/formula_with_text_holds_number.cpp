// error: NEML2_FORMULA: the formula must not capture
// SPDX-License-Identifier: MIT
#include "neml2/math/formula.h"
#include "neml2/tensors/SR2.h"

using namespace neml2;

SR2
scaled(const SR2 & s)
{
  return vmap(NEML2_FORMULA([k = 2.0](const auto & x) { return k * x; }), s);
}
