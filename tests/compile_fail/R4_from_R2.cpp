// error: (no matching function for call|no matching constructor)
// SPDX-License-Identifier: MIT
#include "neml2/tensors/R2.h"
#include "neml2/tensors/R4.h"

using namespace neml2;

R4
f(const R2 & A)
{
  return R4(A);
}
