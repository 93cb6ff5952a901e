// error: gradient, jacobian, hessian: the formula must not capture
// SPDX-License-Identifier: MIT
#include "neml2/tensors/isotropic.h"
#include "neml2/tensors/tensors.h"

using namespace neml2;

void
f(const SR2 & s)
{
  const double mu = 2.0;
  vmap([&](const auto & a)
       { return isotropic([&](const auto & l) { return mu * l(0) * l(1) * l(2); }, a); },
       s);
}
