// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/PrimitiveTensor.h"
#include "neml2/kernels/SWR4.h"
#include "neml2/tensors/fwd.h"

namespace neml2
{
/**
 * Batch of fourth order tensors T_ijkl = T_jikl = -T_ijlk, for example the derivative of an SR2 with
 * respect to a WR2.
 *
 * Shape (...; 6, 3): any batch shape, the Mandel components of a symmetric pair (see SR2), then
 * the components of a skew pair (see WR2).
 * Units: the caller's choice, the same for all components.
 * skew_products.h has derivatives of products of symmetric and skew tensors.
 */
class SWR4 : public PrimitiveTensor<SWR4, 6, 3>
{
public:
  static constexpr auto type_name = "SWR4";
  /// One tensor of the batch, in the type that kernels take.
  template <class T>
  using Row = kernels::SWR4<T>;

  using PrimitiveTensor::PrimitiveTensor;
  NEML2_ASSIGNED_WHOLE(SWR4)
  SWR4() = default;
  /// Converts T_ijkl, the derivative of a symmetric tensor with respect to the components W_kl of a skew tensor. The
  /// result is T_ijkl + T_jikl (a sum, not a mean), in Mandel components, at kl = 21, 02, 10. If T_ijkl + T_jikl is skew
  /// in kl, the result is the derivative with respect to the axial vector of W.
  /// (...; 3, 3, 3, 3) -> (...; 6, 3). The constructor is a template, so that a type that converts to R4 does not
  /// also convert to SWR4.
  template <class T, std::enable_if_t<std::is_same_v<T, R4>, int> = 0>
  SWR4(const T & t);
};

template <>
struct core::batch_of_rows<kernels::SWR4>
{
  using type = SWR4;
};
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/math/operators.h"
#include "neml2/tensors/R4.h"
#include "neml2/tensors/Scalar.h"
#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/tensors/SWR4-inl.h"
#endif
