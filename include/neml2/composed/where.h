// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/types.h"

/// The choice between two tensors by a condition, in LibTorch calls.
namespace neml2::composed
{
/// a where the condition holds, else b; one of them may be a number.
template <class X, class Y>
at::Tensor
select(const at::Tensor & condition, const X & a, const Y & b)
{
  return condition.is_meta() ? a + b + condition // of the same shape; at::where has no meta kernel
                             : at::where(condition, a, b);
}
} // namespace neml2::composed
