// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/gradients/rules.h"
#include "neml2/composed/R2.h"
#include "neml2/tensors/R2.h"

namespace neml2::gradients
{
/// The cofactors. They are det(A) (A^-1)_ji where A has an inverse, and are also defined where A is singular.
inline R2
cofactors(const R2 & A)
{
  return evaluate_leaf<R2>(
      "cofactors",
      [](const auto & a) { return kernels::cofactors(a); },
      [](const R2 & a) { return R2(composed::cofactors(a)); },
      A);
}
} // namespace neml2::gradients
