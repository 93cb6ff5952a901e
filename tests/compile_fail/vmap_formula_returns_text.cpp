// error: vmap: the formula must return a tensor, a number, or a group of them
// SPDX-License-Identifier: MIT
#include "neml2/math/vmap.h"
#include "neml2/tensors/tensors.h"

using namespace neml2;

void
f(const SR2 & s)
{
  vmap([](auto) { return "text"; }, s);
}
