// SPDX-License-Identifier: MIT
// error: newton cannot be used in formulas that are computed in float32
#include "neml2/math/newton.h"
#include "neml2/tensors/Scalar.h"

constexpr auto residual = [](const auto & x, const auto & a) { return x * x - a; };

auto
f(const neml2::Scalar & a)
{
  return neml2::vmap(neml2::in_float32([](const auto & s) { return newton(residual, s, s); }), a);
}
