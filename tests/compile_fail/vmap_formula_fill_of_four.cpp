// error: fill: there are too few values, or too many
// SPDX-License-Identifier: MIT
#include "neml2/math/vmap.h"
#include "neml2/tensors/SR2.h"

neml2::SR2
f(const neml2::Scalar & a)
{
  return neml2::vmap([](const auto & x) { return neml2::SR2::fill(x, x, x, x, x); }, a);
}
