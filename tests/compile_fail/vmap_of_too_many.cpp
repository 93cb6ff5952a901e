// error: vmap: there may be 16 arguments and results in all
// SPDX-License-Identifier: MIT
#include "neml2/math/vmap.h"
#include "neml2/tensors/tensors.h"

using namespace neml2;

void
f(const Scalar & a)
{
  vmap([](const auto &... x) { return std::tuple(x...); }, a, a, a, a, a, a, a, a, a);
}
