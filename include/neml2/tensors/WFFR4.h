// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/PrimitiveTensor.h"
#include "neml2/kernels/WFFR4.h"
#include "neml2/tensors/fwd.h"

namespace neml2
{
/**
 * Batch of fourth order tensors T_ijkl = -T_jikl, for example the derivative of a WR2 with respect to an R2.
 *
 * Shape (...; 3, 3, 3): any batch shape, the components of the skew index pair ij (see WR2), then the
 * indices k and l.
 * Units: the caller's choice, the same for all components.
 */
class WFFR4 : public PrimitiveTensor<WFFR4, 3, 3, 3>
{
public:
  static constexpr auto type_name = "WFFR4";
  /// One tensor of the batch, in the type that kernels take.
  template <class T>
  using Row = kernels::WFFR4<T>;

  using PrimitiveTensor::PrimitiveTensor;
  NEML2_ASSIGNED_WHOLE(WFFR4)
  WFFR4() = default;
};

template <>
struct core::batch_of_rows<kernels::WFFR4>
{
  using type = WFFR4;
};
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/math/operators.h"
#include "neml2/tensors/Scalar.h"
