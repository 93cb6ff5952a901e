// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/types.h"

#include <limits>

/// The choice between two tensors by a condition, in LibTorch calls.
namespace neml2::composed
{
/// a where the condition holds, otherwise b; one of them may be a number.
template <class X, class Y>
at::Tensor
select(const at::Tensor & condition, const X & a, const Y & b)
{
  return condition.is_meta() ? a + b + condition // of the same shape; at::where has no meta kernel
                             : at::where(condition, a, b);
}

/// t where the condition holds, otherwise NaN, also in derivatives.
inline at::Tensor
only_where(const at::Tensor & condition, const at::Tensor & t)
{
  if (t.is_meta())
    return t + condition;
  const at::Tensor one =
      at::ones(condition.sizes(), t.options().dtype(kFloat64).requires_grad(false));
  return t *
         one.masked_fill(condition.bitwise_not(), std::numeric_limits<double>::quiet_NaN())
             .to(t.scalar_type()); // LibTorch checks whether a number is in the range of float32, and throws an exception for NaN
}
} // namespace neml2::composed
