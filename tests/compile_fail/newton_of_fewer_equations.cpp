// error: newton: there must be as many equations as unknowns
// SPDX-License-Identifier: MIT
#include "neml2/math/newton.h"
#include "neml2/math/vmap.h"
#include "neml2/tensors/SR2.h"

using namespace neml2;

SR2
root(const SR2 & a)
{
  return vmap(
      [](const auto & s)
      { return newton([](const auto & x, const auto & b) { return norm(x) - norm(b); }, s, s); },
      a);
}
