// error: vmap: the formula cannot be called with these arguments
// SPDX-License-Identifier: MIT
#include "neml2/math/vmap.h"
#include "neml2/tensors/tensors.h"

using namespace neml2;

void
f(const SR2 & s)
{
  vmap([](const SR2 & a) { return dev(a); }, s);
}
