// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/PrimitiveTensor.h"
#include "neml2/tensors/fwd.h"

namespace neml2
{
/**
 * Batch of Miller indices, integers.
 *
 * Shape (...; 3): any batch shape, then (h, k, l).
 * Units: the caller's choice, the same for all components.
 */
class MillerIndex : public PrimitiveTensor<MillerIndex, 3>
{
public:
  static constexpr auto type_name = "MillerIndex";

  using PrimitiveTensor::PrimitiveTensor;
  MillerIndex() = default;
};
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/tensors/Scalar.h"
