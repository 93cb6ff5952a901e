// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/PrimitiveTensor.h"
#include "neml2/kernels/R4.h"
#include "neml2/tensors/fwd.h"

namespace neml2
{
/**
 * Batch of fourth order tensors, for example the derivative of an R2 by an R2.
 *
 * Shape (...; 3, 3, 3, 3): any batch shape, then T_ijkl, the last index the fastest.
 * Units: the caller's choice, the same for all components.
 */
class R4 : public PrimitiveTensor<R4, 3, 3, 3, 3>
{
public:
  static constexpr auto type_name = "R4";
  /// One batch entry, as the kernels see it.
  template <class T>
  using Row = kernels::R4<T>;

  using PrimitiveTensor::PrimitiveTensor;
  R4() = default;
};

template <>
struct core::batch_of_rows<kernels::R4>
{
  using type = R4;
};
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/tensors/Scalar.h"
