// error: in a formula members are functions: write dev\(s\) for s.dev\(\)
// SPDX-License-Identifier: MIT
#include "neml2/math/vmap.h"
#include "neml2/tensors/SR2.h"

neml2::SR2
f(const neml2::SR2 & s)
{
  return neml2::vmap([](const auto & x) { return x.dev(); }, s);
}
