// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/arithmetic.h"
#include "neml2/kernels/R3.h"
#include "neml2/tensors/fwd.h"

namespace neml2
{
/**
 * Batch of third order tensors, for example the derivative of a rotation matrix with respect to its parameters.
 *
 * Shape (...; 3, 3, 3): any batch shape, then T_ijk, whose last index varies fastest.
 * Units: the caller's choice, the same for all components.
 */
class R3 : public PrimitiveTensor<R3, 3, 3, 3>
{
public:
  static constexpr auto type_name = "R3";
  /// One tensor of the batch, in the type that kernels take.
  template <class T>
  using Row = kernels::R3<T>;

  using PrimitiveTensor::PrimitiveTensor;
  NEML2_ASSIGNED_WHOLE(R3)
  R3() = default;

  /// The permutation tensor ε_ijk: 1 where ijk is 012, 120 or 201, -1 where it is 021, 210 or 102,
  /// otherwise 0. (; 3, 3, 3)
  [[nodiscard]] static R3 levi_civita(const TensorOptions & options = default_tensor_options());

  /// See contract_k(T, v).
  R2 contract_k(const Vec & v) const;
};

template <>
struct core::batch_of_rows<kernels::R3>
{
  using type = R3;
};

/// T_ijk v_k. (...; 3, 3, 3), (...; 3) -> (...; 3, 3), unit of T × unit of v.
R2 contract_k(const R3 & T, const Vec & v);
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/math/operators.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/Vec.h"
#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/tensors/R3-inl.h"
#endif
