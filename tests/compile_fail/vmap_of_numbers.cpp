// error: vmap: at least one argument must be a tensor
// SPDX-License-Identifier: MIT
#include "neml2/math/vmap.h"
#include "neml2/tensors/tensors.h"

using namespace neml2;

void
f()
{
  vmap([](auto a, auto b) { return a * b; }, 1.0, 2);
}
