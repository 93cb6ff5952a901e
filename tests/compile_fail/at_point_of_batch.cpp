// error: at_point: arguments are plain numbers, single tensors of them
// SPDX-License-Identifier: MIT
#include "neml2/packs/at_point.h"
#include "neml2/tensors/tensors.h"

using namespace neml2;

void
f(const SR2 & s)
{
  at_point([](const auto & a) { return 2.0 * a; }, s);
}
