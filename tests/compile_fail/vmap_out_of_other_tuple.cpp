// error: vmap_out: the outputs must be std::tie
// SPDX-License-Identifier: MIT
#include "neml2/math/vmap_out.h"
#include "neml2/tensors/tensors.h"

using namespace neml2;

void
f(SR2 & a, Scalar & b, const SR2 & s)
{
  vmap_out(
      std::tie(a, b), [](auto x) { return std::tuple(tr(x), x); }, s);
}
