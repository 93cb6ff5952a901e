// error: not defined for these two tensor types
// SPDX-License-Identifier: MIT
#include "neml2/tensors/kronecker.h"

using namespace neml2;

auto
f(const SSR4 & a, const SR2 & b)
{
  return kron(a, b);
}
