// error: newton: the residual must not capture
// SPDX-License-Identifier: MIT
#include "neml2/math/newton.h"
#include "neml2/math/vmap.h"
#include "neml2/tensors/SR2.h"

using namespace neml2;

Scalar
root(const Scalar & a, double k)
{
  return newton([k](const auto & x, const auto & b) { return k * x * x - b; }, 1.0, a);
}
