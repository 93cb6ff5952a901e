// error: vmap: at most 128 arguments and results are allowed in total
// SPDX-License-Identifier: MIT
#include "neml2/math/vmap.h"
#include "neml2/tensors/tensors.h"

using namespace neml2;

void
f(const Scalar & a)
{
  const std::tuple eight(a, a, a, a, a, a, a, a);
  const std::tuple many(eight, eight, eight, eight, eight, eight, eight, eight);
  vmap([](const auto & x, const auto & y) { return std::tuple(x, y); }, many, a);
}
