// error: this operation is not defined for these two tensor types
// SPDX-License-Identifier: MIT
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/Vec.h"

using namespace neml2;

auto
f(const SR2 & a, const Vec & b)
{
  return fmod(a, b);
}
