// error: cholesky is defined for R2, SR2, SSR4 and n×n matrices of your own
// SPDX-License-Identifier: MIT
#include "neml2/tensors/WR2.h"
#include "neml2/tensors/cholesky.h"

using namespace neml2;

auto
f(const WR2 & w)
{
  return cholesky(w);
}
