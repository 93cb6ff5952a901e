// error: vmap: the formula cannot be called with these arguments
// SPDX-License-Identifier: MIT
#include "neml2/math/vmap.h"
#include "neml2/tensors/tensors.h"

using namespace neml2;

void
f(const SR2 & s)
{
  vmap([](auto a, auto b) { return a + b; }, s);
}
