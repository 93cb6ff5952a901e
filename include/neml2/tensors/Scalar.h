// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/batch.h"
#include "neml2/kernels/Scalar.h"
#include "neml2/tensors/fwd.h"

namespace neml2
{
/**
 * Batch of scalars, for example a temperature or a Young's modulus.
 *
 * Shape (...; ): every dimension is a batch dimension. A Scalar combines with any other type by + - * /,
 * one scalar a batch entry, never one a component.
 * Units: the caller's choice.
 */
class Scalar : public PrimitiveTensor<Scalar>
{
public:
  static constexpr auto type_name = "Scalar";
  /// One batch entry, as the kernels see it.
  template <class T>
  using Row = kernels::Scalar<T>;

  using PrimitiveTensor::PrimitiveTensor;
  Scalar() = default;
  /// One number, unbatched. The options are mandatory: a bare number has neither dtype nor device.
  /// @throws NEMLException if they request grad: make a leaf with requires_grad_() instead.
  Scalar(const CScalar & value, const TensorOptions & options);

  /// Derivative of a scalar by itself: 1. (; )
  [[nodiscard]] static Scalar identity_map(const TensorOptions & options = default_tensor_options())
  {
    return ones(options);
  }

  /// Appends n base dimensions of size 1. (...; ) -> (...; 1, ..., 1)
  neml2::Tensor base_unsqueeze_to(Size n) const;
};

/// |a|. (...; ) -> (...; ), in the unit of a. Its gradient at 0 is 0.
Scalar abs(const Scalar & a);

/// √a. (...; ) -> (...; ), in the square root of the unit of a. NaN below 0.
/// @throws NEMLException unless the dtype is floating.
Scalar sqrt(const Scalar & a);

/// a where the condition holds, else b; batch shapes broadcast. (...; ) bool, (...; ), (...; ) -> (...; )
/// Both are evaluated: guard the untaken one against division by zero before differentiating.
Scalar where(const at::Tensor & condition, const Scalar & a, const Scalar & b);
} // namespace neml2

// ---- Definitions. Every type named above is complete from here on. ----

namespace neml2
{
inline Scalar::Scalar(const CScalar & value, const TensorOptions & options)
{
  NEML2_CHECK(
      !options.requires_grad(),
      "Scalar(number, options): the options request grad. Call requires_grad_() on the result.");
  *this = core::translate_errors(
      "Scalar(number, options)",
      [&] { return Scalar(at::full({}, value, core::with_dtype(options))); });
}

inline neml2::Tensor
Scalar::base_unsqueeze_to(Size n) const
{
  return neml2::Tensor(*this).base_unsqueeze_to(n);
}

inline Scalar
abs(const Scalar & a)
{
  return core::evaluate_leaf<Scalar>(
      core::Operation("abs", core::Accepts::numbers),
      [](const auto & x) { return kernels::abs(x); },
      [](const Scalar & x) // at::abs has no meta kernel
      { return x.scalar_type() == kUInt8 ? x : Scalar(x.maximum(core::raw(x).neg())); },
      a);
}

inline Scalar
sqrt(const Scalar & a)
{
  return core::evaluate_leaf<Scalar>(
      "sqrt",
      [](const auto & x)
      {
        using kernels::sqrt;
        return sqrt(x);
      },
      [](const Scalar & x) { return Scalar(at::sqrt(x)); },
      a);
}

inline Scalar
where(const at::Tensor & condition, const Scalar & a, const Scalar & b)
{
  const core::Operation op("where", core::Accepts::any);
  const Scalar c(condition);
  core::check_defined("where", c);
  NEML2_CHECK(c.scalar_type() == c10::kBool,
              "where: the condition is ",
              core::dtype_name(c.scalar_type()),
              ", expected bool: compare it with something.");
  core::check_operands(op, {core::operand(a), core::operand(b)});
  core::broadcast_batch(op, {core::operand(c), core::operand(a), core::operand(b)});
  return core::translate_errors("where", [&] { return Scalar(at::where(condition, a, b)); });
}
} // namespace neml2
