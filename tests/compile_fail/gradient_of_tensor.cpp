// error: gradient<I>, hessian<I>: the formula must return a scalar: use jacobian<I>
// SPDX-License-Identifier: MIT
#include "neml2/math/gradient.h"
#include "neml2/tensors/tensors.h"

using namespace neml2;

void
f(const SR2 & s)
{
  gradient<0>([](const auto & a) { return 2.0 * a; }, s);
}
