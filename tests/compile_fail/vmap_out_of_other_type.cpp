// error: vmap_out: the output must be of the type that the formula returns
// SPDX-License-Identifier: MIT
#include "neml2/math/vmap_out.h"
#include "neml2/tensors/tensors.h"

using namespace neml2;

void
f(Scalar & out, const SR2 & s)
{
  vmap_out(
      out, [](auto a) { return dev(a); }, s);
}
