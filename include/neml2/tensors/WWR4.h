// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/PrimitiveTensor.h"
#include "neml2/kernels/WWR4.h"
#include "neml2/tensors/fwd.h"

namespace neml2
{
/**
 * Batch of fourth order tensors T_ijkl = -T_jikl = -T_ijlk, for example the derivative of a WR2 by
 * a WR2.
 *
 * Shape (...; 3, 3): any batch shape, then both index pairs in the components of a skew tensor
 * (see WR2).
 * Units: the caller's choice, the same for all components.
 */
class WWR4 : public PrimitiveTensor<WWR4, 3, 3>
{
public:
  static constexpr auto type_name = "WWR4";
  /// One batch entry, as the kernels see it.
  template <class T>
  using Row = kernels::WWR4<T>;

  using PrimitiveTensor::PrimitiveTensor;
  WWR4() = default;
};

template <>
struct core::batch_of_rows<kernels::WWR4>
{
  using type = WWR4;
};
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/tensors/Scalar.h"
