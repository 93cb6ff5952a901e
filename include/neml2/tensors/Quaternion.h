// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/PrimitiveTensor.h"
#include "neml2/kernels/Quaternion.h"
#include "neml2/tensors/fwd.h"

namespace neml2
{
/**
 * Batch of unit quaternions, for example the orientations of crystals.
 *
 * Shape (...; 4): any batch shape, then (s, x, y, z) = (cos θ/2, n sin θ/2), scalar first.
 * Units: the caller's choice, the same for all components.
 */
class Quaternion : public PrimitiveTensor<Quaternion, 4>
{
public:
  static constexpr auto type_name = "Quaternion";
  /// One batch entry, as the kernels see it.
  template <class T>
  using Row = kernels::Quaternion<T>;

  using PrimitiveTensor::PrimitiveTensor;
  Quaternion() = default;
};

template <>
struct core::batch_of_rows<kernels::Quaternion>
{
  using type = Quaternion;
};
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/tensors/Scalar.h"
