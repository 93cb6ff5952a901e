// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/PrimitiveTensor.h"
#include "neml2/kernels/WSR4.h"
#include "neml2/tensors/fwd.h"

namespace neml2
{
/**
 * Batch of fourth order tensors T_ijkl = -T_jikl = T_ijlk, for example the derivative of a WR2 with
 * respect to an SR2.
 *
 * Shape (...; 3, 6): any batch shape, the components of a skew pair (see WR2), then the Mandel
 * components of a symmetric pair (see SR2).
 * Units: the caller's choice, the same for all components.
 * skew_products.h has derivatives of products of symmetric and skew tensors.
 */
class WSR4 : public PrimitiveTensor<WSR4, 3, 6>
{
public:
  static constexpr auto type_name = "WSR4";
  /// One tensor of the batch, in the type that kernels take.
  template <class T>
  using Row = kernels::WSR4<T>;

  using PrimitiveTensor::PrimitiveTensor;
  NEML2_ASSIGNED_WHOLE(WSR4)
  WSR4() = default;
  /// Converts T_ijkl, the derivative of a skew tensor W_ij by the components of a symmetric tensor. The result is
  /// (T_ijkl + T_ijlk) / 2 at ij = 21, 02, 10, in Mandel components. (...; 3, 3, 3, 3) -> (...; 3, 6).
  /// The constructor is a template, so that a type that converts to R4 does not also convert to WSR4.
  template <class T, std::enable_if_t<std::is_same_v<T, R4>, int> = 0>
  WSR4(const T & t);
};

template <>
struct core::batch_of_rows<kernels::WSR4>
{
  using type = WSR4;
};
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/math/operators.h"
#include "neml2/tensors/R4.h"
#include "neml2/tensors/Scalar.h"
#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/tensors/WSR4-inl.h"
#endif
