// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/PrimitiveTensor.h"
#include "neml2/kernels/SFFR4.h"
#include "neml2/tensors/fwd.h"

namespace neml2
{
/**
 * Batch of fourth order tensors T_ijkl = T_jikl. An SFR4 has the same components as an SFFR4.
 *
 * Shape (...; 6, 3, 3): any batch shape, the Mandel components of a symmetric pair (see SR2), then
 * two full indices.
 * Units: the caller's choice, the same for all components.
 */
class SFR4 : public PrimitiveTensor<SFR4, 6, 3, 3>
{
public:
  static constexpr auto type_name = "SFR4";
  /// One tensor of the batch, in the type that kernels take.
  template <class T>
  using Row = kernels::SFFR4<T>;

  using PrimitiveTensor::PrimitiveTensor;
  NEML2_ASSIGNED_WHOLE(SFR4)
  SFR4() = default;
};
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/math/operators.h"
#include "neml2/tensors/Scalar.h"
