// error: there is no type for this Jacobian in formulas
// SPDX-License-Identifier: MIT
#include "neml2/math/gradient.h"
#include "neml2/tensors/tensors.h"

using namespace neml2;

void
f(const SR2 & s)
{
  vmap([](const auto & a)
       { return jacobian<0>([](const auto & b) { return full(b) * full(b); }, a); },
       s);
}
