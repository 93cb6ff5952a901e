// error: this operation is not defined for these two tensor types
// SPDX-License-Identifier: MIT
#include "neml2/tensors/SR2.h"

using namespace neml2;

auto
f(const neml2::Tensor & a, const SR2 & b)
{
  return a && b;
}
