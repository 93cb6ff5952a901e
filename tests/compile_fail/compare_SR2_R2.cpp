// error: this operation is not defined for these two tensor types
// SPDX-License-Identifier: MIT
#include "neml2/tensors/R2.h"
#include "neml2/tensors/SR2.h"

using namespace neml2;

auto
f(const SR2 & a, const R2 & b)
{
  return a == b;
}
