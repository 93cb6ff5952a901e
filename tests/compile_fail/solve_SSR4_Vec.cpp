// error: solve\(A, b\) is defined for R2 with Vec or R2, SSR4 with SR2 or SSR4
// SPDX-License-Identifier: MIT
#include "neml2/tensors/solve.h"

using namespace neml2;

auto
f(const SSR4 & C, const Vec & v)
{
  return solve(C, v);
}
