// error: is not captured|cannot be implicitly captured
// SPDX-License-Identifier: MIT
#include "neml2/math/formula.h"
#include "neml2/tensors/SR2.h"

using namespace neml2;

SR2
scaled(const SR2 & s, double k)
{
  return vmap(NEML2_FORMULA([](const auto & x) { return k * x; }), s);
}
