// error: newton: the residual does not depend on the unknown, its first argument
// SPDX-License-Identifier: MIT
#include "neml2/math/newton.h"
#include "neml2/math/vmap.h"
#include "neml2/tensors/SR2.h"

using namespace neml2;

Scalar
root(const Scalar & a)
{
  return newton([](const auto &, const auto & b) { return b * b; }, 1.0, a);
}
