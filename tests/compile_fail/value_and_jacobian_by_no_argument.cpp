// error: value_and_jacobian<I>: there is no argument I
// SPDX-License-Identifier: MIT
#include "neml2/math/jacobian.h"
#include "neml2/tensors/tensors.h"

using namespace neml2;

void
f(const SR2 & s)
{
  value_and_jacobian<5>([](auto a) { return a; }, s);
}
