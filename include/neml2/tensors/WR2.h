// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/PrimitiveTensor.h"
#include "neml2/kernels/WR2.h"
#include "neml2/tensors/fwd.h"

namespace neml2
{
/**
 * Batch of skew second order tensors, for example spins.
 *
 * Shape (...; 3): any batch shape, then the axial vector (W_21, W_02, W_10), so that W v = w × v.
 * Units: the caller's choice, the same for all components.
 */
class WR2 : public PrimitiveTensor<WR2, 3>
{
public:
  static constexpr auto type_name = "WR2";
  /// One batch entry, as the kernels see it.
  template <class T>
  using Row = kernels::WR2<T>;

  using PrimitiveTensor::PrimitiveTensor;
  WR2() = default;
};

template <>
struct core::batch_of_rows<kernels::WR2>
{
  using type = WR2;
};
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/tensors/Scalar.h"
