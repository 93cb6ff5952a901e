// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/PrimitiveTensor.h"
#include "neml2/tensors/fwd.h"

namespace neml2
{
/**
 * Batch of eighth order tensors with four symmetric pairs of indices, for example the derivative of an SSR4 with
 * respect to an SSR4.
 *
 * Shape (...; 6, 6, 6, 6): any batch shape, then the four pairs in Mandel components (see SR2).
 * Units: the caller's choice, the same for all components.
 * SSR4::dinverse and SSR4::drotate_self return an SSSSR8.
 */
class SSSSR8 : public PrimitiveTensor<SSSSR8, 6, 6, 6, 6>
{
public:
  static constexpr auto type_name = "SSSSR8";

  using PrimitiveTensor::PrimitiveTensor;
  NEML2_ASSIGNED_WHOLE(SSSSR8)
  SSSSR8() = default;
};
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/math/operators.h"
#include "neml2/tensors/Scalar.h"
