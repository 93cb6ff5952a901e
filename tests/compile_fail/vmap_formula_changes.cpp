// error: vmap: the formula changes itself
// SPDX-License-Identifier: MIT
#include "neml2/math/vmap.h"
#include "neml2/tensors/tensors.h"

using namespace neml2;

void
f(const SR2 & s)
{
  int calls = 0;
  vmap(
      [calls](const auto & a) mutable
      {
        calls++;
        return 2.0 * a;
      },
      s);
}
