// error: isotropic: a function of eigenvalues has two derivatives if it is a scalar,
// SPDX-License-Identifier: MIT
#include "neml2/tensors/isotropic.h"
#include "neml2/math/gradient.h"
#include "neml2/tensors/tensors.h"

using namespace neml2;

constexpr auto energy = [](const auto & a)
{ return isotropic([](const auto & l) { return l(0) * l(1) * l(2); }, a); };

void
f(const SR2 & s)
{
  value_and_jacobian<0>([](const auto & a) { return hessian<0>(energy, a) * a; }, s);
}
