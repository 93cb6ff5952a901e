// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/R3.h"

#include "neml2/engine/evaluate.h"
#include "neml2/composed/R3.h"

namespace neml2
{
NEML2_BODY R3
R3::levi_civita(const TensorOptions & options)
{
  return from_values({0, 0, 0,  0,  0, 1, 0, -1, 0,  // ε_0jk
                      0, 0, -1, 0,  0, 0, 1, 0,  0,  // ε_1jk
                      0, 1, 0,  -1, 0, 0, 0, 0,  0}, // ε_2jk
                     options);
}

NEML2_BODY R2
contract_k(const R3 & T, const Vec & v)
{
  return engine::evaluate_leaf<R2>(
      core::Operation("contract_k", core::Accepts::numbers),
      [](const auto & t, const auto & a) { return kernels::contract_k(t, a); },
      composed::contract_k,
      T,
      v);
}

NEML2_BODY R2
R3::contract_k(const Vec & v) const
{
  return neml2::contract_k(*this, v);
}
} // namespace neml2
