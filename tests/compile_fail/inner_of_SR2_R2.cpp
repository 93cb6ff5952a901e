// error: this operation is not defined for these two tensor types
// SPDX-License-Identifier: MIT
#include "neml2/math/products.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/Scalar.h"

using namespace neml2;

auto
f(const SR2 & s, const R2 & A)
{
  return inner(s, A);
}
