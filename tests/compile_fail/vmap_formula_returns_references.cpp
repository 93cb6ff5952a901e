// error: return std::tuple\(a, b\) instead of std::tie\(a, b\)
// SPDX-License-Identifier: MIT
#include "neml2/math/vmap.h"
#include "neml2/tensors/SR2.h"

#include <tuple>

using namespace neml2;

void
f(const SR2 & s)
{
  vmap(
      [](const auto & a)
      {
        const auto b = 2.0 * a, c = b + a;
        return std::tie(b, c);
      },
      s);
}
