// error: det is defined for R2, SR2, WR2 and neml2::Tensor
// SPDX-License-Identifier: MIT
#include "neml2/math/products.h"
#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/Scalar.h"

using namespace neml2;

auto
f(const SSR4 & C)
{
  return det(C);
}
