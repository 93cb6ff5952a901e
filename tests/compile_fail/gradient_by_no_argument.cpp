// error: there is no argument I
// SPDX-License-Identifier: MIT
#include "neml2/math/gradient.h"
#include "neml2/tensors/tensors.h"

using namespace neml2;

void
f(const SR2 & s)
{
  vmap([](const auto & a) { return gradient<1>([](const auto & b) { return tr(b); }, a); }, s);
}
