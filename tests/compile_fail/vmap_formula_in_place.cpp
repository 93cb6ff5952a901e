// error: no \+= -= \*= /= in a formula: write x = x \+ y, so that
// SPDX-License-Identifier: MIT
#include "neml2/math/vmap.h"
#include "neml2/tensors/SR2.h"

neml2::SR2
twice(const neml2::SR2 & s)
{
  return neml2::vmap(
      [](const auto & a)
      {
        auto sum = a;
        sum += a;
        return sum;
      },
      s);
}
