// error: clamp: a bound must be a number, a Scalar or of the type of the tensor
// SPDX-License-Identifier: MIT
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/Vec.h"

using namespace neml2;

auto
f(const SR2 & a, const Vec & b)
{
  return clamp(a, 0.0, b);
}
