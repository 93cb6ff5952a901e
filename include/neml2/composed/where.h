// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/types.h"

#include <limits>

/// The choice between two tensors by a condition, made by LibTorch calls.
namespace neml2::composed
{
/// a where the condition is true, otherwise b; a or b may be a plain number.
template <class X, class Y>
at::Tensor
select(const at::Tensor & condition, const X & a, const Y & b)
{
  return condition.is_meta() ? a + b + condition // has the same shape; at::where has no meta kernel
                             : at::where(condition, a, b);
}

/// t where the condition is true, otherwise NaN, also in derivatives.
inline at::Tensor
only_where(const at::Tensor & condition, const at::Tensor & t)
{
  if (t.is_meta())
    return t + condition;
  const Dtype widest = t.device().type() == c10::DeviceType::MPS ? kFloat32 : kFloat64;
  const at::Tensor one =
      at::ones(condition.sizes(), t.options().dtype(widest).requires_grad(false));
  return t *
         one.masked_fill(condition.bitwise_not(), std::numeric_limits<double>::quiet_NaN())
             .to(t.scalar_type()); // float64 first: LibTorch checks that a number is in the range of float32, and throws for NaN
}
} // namespace neml2::composed
