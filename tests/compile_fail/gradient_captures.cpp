// error: the formula must not capture
// SPDX-License-Identifier: MIT
#include "neml2/math/gradient.h"
#include "neml2/tensors/tensors.h"

using namespace neml2;

void
f(const SR2 & s, const Scalar & k)
{
  vmap([](const auto & a, const auto & b)
       { return gradient<0>([&](const auto & c) { return b * tr(c); }, a); },
       s,
       k);
}
