// error: with_gradient: the formula must not capture
// SPDX-License-Identifier: MIT
#include "neml2/math/autograd.h"
#include "neml2/tensors/tensors.h"

using namespace neml2;

void
f(const SR2 & s, double k)
{
  vmap(with_gradient([k](auto a) { return k * a; }), s);
}
