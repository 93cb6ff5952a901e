// SPDX-License-Identifier: MIT
// error: in_float32: every argument of the formula, and its only result, must be a scalar or a plain number
#include "neml2/math/vmap.h"
#include "neml2/tensors/SR2.h"

auto
f(const neml2::SR2 & s)
{
  return neml2::vmap(neml2::in_float32([](const auto & x) { return tr(x); }), s);
}
