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
 * Shape (...; 3, 3): any batch shape, then the components of the two skew index pairs ij and kl (see WR2).
 * Units: the caller's choice, the same for all components.
 */
class WWR4 : public PrimitiveTensor<WWR4, 3, 3>
{
public:
  static constexpr auto type_name = "WWR4";
  /// One tensor of the batch, in the type that kernels take.
  template <class T>
  using Row = kernels::WWR4<T>;

  using PrimitiveTensor::PrimitiveTensor;
  NEML2_ASSIGNED_WHOLE(WWR4)
  WWR4() = default;
  /// The sum T_ijkl - T_jikl - T_ijlk + T_jilk at ij and kl = 21, 02, 10. It has no factor 1/4: if T is
  /// skew in both index pairs, the sum is four times the components of T.
  /// (...; 3, 3, 3, 3) -> (...; 3, 3). The constructor is a template, so that a type that converts to R4 does not
  /// also convert to WWR4.
  template <class T, std::enable_if_t<std::is_same_v<T, R4>, int> = 0>
  WWR4(const T & t);

  /// Derivative of a skew tensor by itself, the unit matrix. (; 3, 3)
  [[nodiscard]] static WWR4 identity(const TensorOptions & options = default_tensor_options());
};

template <>
struct core::batch_of_rows<kernels::WWR4>
{
  using type = WWR4;
};
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/math/operators.h"
#include "neml2/tensors/R4.h"
#include "neml2/tensors/Scalar.h"
#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/tensors/WWR4-inl.h"
#endif
