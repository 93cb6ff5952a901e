// error: argument I must be a scalar or a tensor of the formula, not a plain number
// SPDX-License-Identifier: MIT
#include "neml2/math/gradient.h"
#include "neml2/tensors/tensors.h"

using namespace neml2;

void
f(const SR2 & s)
{
  vmap([](const auto & a)
       { return gradient<1>([](const auto & b, const auto & k) { return k * tr(b); }, a, 2.0); },
       s);
}
