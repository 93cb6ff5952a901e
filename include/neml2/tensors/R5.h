// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/PrimitiveTensor.h"
#include "neml2/tensors/fwd.h"

namespace neml2
{
/**
 * Batch of fifth order tensors, for example the derivative of an R4 with respect to a Rot.
 *
 * Shape (...; 3, 3, 3, 3, 3): any batch shape, then T_ijklm, whose last index varies fastest.
 * Units: the caller's choice, the same for all components.
 * R4::drotate returns an R5.
 */
class R5 : public PrimitiveTensor<R5, 3, 3, 3, 3, 3>
{
public:
  static constexpr auto type_name = "R5";

  using PrimitiveTensor::PrimitiveTensor;
  NEML2_ASSIGNED_WHOLE(R5)
  R5() = default;
};
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/math/operators.h"
#include "neml2/tensors/Scalar.h"
