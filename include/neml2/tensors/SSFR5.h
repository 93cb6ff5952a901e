// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/PrimitiveTensor.h"
#include "neml2/kernels/SSFR5.h"
#include "neml2/tensors/fwd.h"

namespace neml2
{
/**
 * Batch of fifth order tensors with both minor symmetries in the first four indices, for example
 * the derivative of an SSR4 with respect to a Rot.
 *
 * Shape (...; 6, 6, 3): any batch shape, two pairs in Mandel components (see SR2), then the fifth
 * index.
 * Units: the caller's choice, the same for all components.
 * drotate(C, r) of SSR4.h returns an SSFR5.
 */
class SSFR5 : public PrimitiveTensor<SSFR5, 6, 6, 3>
{
public:
  static constexpr auto type_name = "SSFR5";
  /// One tensor of the batch, in the type that kernels take.
  template <class T>
  using Row = kernels::SSFR5<T>;

  using PrimitiveTensor::PrimitiveTensor;
  NEML2_ASSIGNED_WHOLE(SSFR5)
  SSFR5() = default;
};

template <>
struct core::batch_of_rows<kernels::SSFR5>
{
  using type = SSFR5;
};
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/math/operators.h"
#include "neml2/tensors/Scalar.h"
