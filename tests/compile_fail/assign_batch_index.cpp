// error: a part of a tensor cannot be assigned to
// SPDX-License-Identifier: MIT
#include "neml2/math/vmap.h"
#include "neml2/tensors/R2.h"

void
set_first(neml2::R2 & F)
{
  F.batch_index({0}) = neml2::R2::identity();
}
