// error: a part of a tensor cannot be assigned to
// SPDX-License-Identifier: MIT
#include "neml2/math/vmap.h"
#include "neml2/tensors/R2.h"

void
set_shear(neml2::R2 & F)
{
  F(0, 1) = 2.0;
}
