// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/PrimitiveTensor.h"
#include "neml2/tensors/fwd.h"

namespace neml2
{
/**
 * Batch of eighth order tensors, for example the derivative of an R4 with respect to an R4.
 *
 * Shape (...; 3, 3, 3, 3, 3, 3, 3, 3): any batch shape, then the eight indices. The last
 * index varies fastest.
 * Units: the caller's choice, the same for all components.
 * R4::drotate_self returns an R8.
 */
class R8 : public PrimitiveTensor<R8, 3, 3, 3, 3, 3, 3, 3, 3>
{
public:
  static constexpr auto type_name = "R8";

  using PrimitiveTensor::PrimitiveTensor;
  NEML2_ASSIGNED_WHOLE(R8)
  R8() = default;
};
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/math/operators.h"
#include "neml2/tensors/Scalar.h"
