// error: a part of a tensor cannot be assigned to
// SPDX-License-Identifier: MIT
#include "neml2/math/vmap.h"
#include "neml2/tensors/R2.h"

neml2::R2
plus_identity(const neml2::R2 & A)
{
  return neml2::vmap(
      [](const auto & a)
      {
        auto F = a;
        for (int i = 0; i < 3; i++)
          F(i, i) = F(i, i) + 1.0;
        return F;
      },
      A);
}
