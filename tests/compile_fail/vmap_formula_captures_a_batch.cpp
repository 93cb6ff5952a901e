// error: a formula gets tensors of one point each, and cannot combine them with a whole batch
// SPDX-License-Identifier: MIT
#include "neml2/math/vmap.h"
#include "neml2/tensors/tensors.h"

using namespace neml2;

void
f(const SR2 & s, const SR2 & t)
{
  vmap([&](const auto & a) { return a + t; }, s);
}
