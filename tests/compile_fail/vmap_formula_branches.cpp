// error: a condition of a formula has a value per point: choose with where\(condition, a, b\), or end a loop by any\(condition\) or all\(condition\)
// SPDX-License-Identifier: MIT
#include "neml2/math/vmap.h"
#include "neml2/tensors/Scalar.h"

neml2::Scalar
positive(const neml2::Scalar & x)
{
  return neml2::vmap(
      [](const auto & a)
      {
        if (a > 0.0)
          return a * 2.0;
        return a * 1.0;
      },
      x);
}
