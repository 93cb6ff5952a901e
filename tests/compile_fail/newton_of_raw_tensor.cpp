// error: newton: the guess and the arguments must be tensors whose types fix their base shapes
// SPDX-License-Identifier: MIT
#include "neml2/math/newton.h"
#include "neml2/math/vmap.h"
#include "neml2/tensors/SR2.h"

using namespace neml2;

Scalar
root(const Scalar & a, const at::Tensor & b)
{
  return newton(
      [](const auto & x, const auto & c, const auto & d) { return c * x - d; }, 1.0, a, b);
}
