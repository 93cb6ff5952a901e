// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/PrimitiveTensor.h"
#include "neml2/kernels/SWR4.h"
#include "neml2/tensors/fwd.h"

namespace neml2
{
/**
 * Batch of fourth order tensors T_ijkl = T_jikl = -T_ijlk, for example the derivative of an SR2 by
 * a WR2.
 *
 * Shape (...; 6, 3): any batch shape, the Mandel components of a symmetric pair (see SR2), then
 * the components of a skew pair (see WR2).
 * Units: the caller's choice, the same for all components.
 */
class SWR4 : public PrimitiveTensor<SWR4, 6, 3>
{
public:
  static constexpr auto type_name = "SWR4";
  /// One batch entry, as the kernels see it.
  template <class T>
  using Row = kernels::SWR4<T>;

  using PrimitiveTensor::PrimitiveTensor;
  SWR4() = default;
};

template <>
struct core::batch_of_rows<kernels::SWR4>
{
  using type = SWR4;
};
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/tensors/Scalar.h"
