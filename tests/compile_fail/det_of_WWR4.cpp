// error: det is defined for R2, SR2, WR2, SSR4, neml2::Tensor
// SPDX-License-Identifier: MIT
#include "neml2/math/products.h"
#include "neml2/tensors/WWR4.h"
#include "neml2/tensors/Scalar.h"

using namespace neml2;

auto
f(const WWR4 & C)
{
  return det(C);
}
