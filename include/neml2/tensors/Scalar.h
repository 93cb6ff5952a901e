// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/arithmetic.h"
#include "neml2/kernels/Scalar.h"
#include "neml2/math/elementwise.h"
#include "neml2/math/products.h"
#include "neml2/tensors/fwd.h"

namespace neml2
{
/**
 * Batch of scalars, for example a temperature or a Young's modulus.
 *
 * Shape (...; ): every dimension is a batch dimension. The operators + - * / combine a Scalar with any other type: one
 * scalar per tensor of the batch, never one per component.
 * Units: the caller's choice.
 *
 * Elsewhere: operators in math/operators.h; sqrt, exp, sin and others in math/elementwise.h.
 */
class Scalar : public PrimitiveTensor<Scalar>
{
public:
  static constexpr auto type_name = "Scalar";
  /// One tensor of the batch, in the type that kernels take.
  template <class T>
  using Row = kernels::Scalar<T>;

  using PrimitiveTensor::PrimitiveTensor;
  NEML2_ASSIGNED_WHOLE(Scalar)
  Scalar() = default;
  /// One number, without batch dimensions (; ). The options are mandatory: a bare number has neither dtype nor device.
  /// @throws NEMLException if the options request grad: call requires_grad_() on the result instead. If
  /// core::Strictness is relaxed, options that request grad are allowed, and the result is a leaf.
  Scalar(const CScalar & value,
         const TensorOptions & options,
         core::Strictness = core::Strictness(""))
    : Scalar(of(value, options, core::Strictness::relaxed))
  {
  }

  /// Derivative of a scalar with respect to itself: 1. (; )
  [[nodiscard]] static Scalar identity_map(const TensorOptions & options = default_tensor_options())
  {
    return ones(options);
  }

  /// Appends n base dimensions of size 1. (...; ) -> (...; 1, ..., 1)
  neml2::Tensor base_unsqueeze_to(Size n) const;

private:
  static at::Tensor of(const CScalar & value, const TensorOptions & options, bool may_be_leaf);
};
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

#include "neml2/math/operators.h"
#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/tensors/Scalar-inl.h"
#endif
