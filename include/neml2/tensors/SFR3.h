// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/PrimitiveTensor.h"
#include "neml2/kernels/SFR3.h"
#include "neml2/tensors/fwd.h"

namespace neml2
{
/**
 * Batch of third order tensors T_ijk = T_jik, for example the derivative of an SR2 with respect to a Rot.
 *
 * Shape (...; 6, 3): any batch shape, the Mandel components of a symmetric pair (see SR2), then
 * the third index.
 * Units: the caller's choice, the same for all components.
 * drotate(s, r) of SR2.h returns an SFR3.
 */
class SFR3 : public PrimitiveTensor<SFR3, 6, 3>
{
public:
  static constexpr auto type_name = "SFR3";
  /// One tensor of the batch, in the type that kernels take.
  template <class T>
  using Row = kernels::SFR3<T>;

  using PrimitiveTensor::PrimitiveTensor;
  NEML2_ASSIGNED_WHOLE(SFR3)
  SFR3() = default;
};

template <>
struct core::batch_of_rows<kernels::SFR3>
{
  using type = SFR3;
};
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/math/operators.h"
#include "neml2/tensors/Scalar.h"
