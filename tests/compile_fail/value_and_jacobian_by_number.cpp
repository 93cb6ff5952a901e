// error: value_and_jacobian<I>: argument I must be a tensor
// SPDX-License-Identifier: MIT
#include "neml2/math/jacobian.h"
#include "neml2/tensors/tensors.h"

using namespace neml2;

void
f(const SR2 & s)
{
  value_and_jacobian<1>([](auto a, auto b) { return b * a; }, s, 2.0);
}
