// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/groups.h"
#include "neml2/math/sum.h"

/**
 * The largest and smallest values along a dimension of the batch (functions batch_..., which keep the type) or of the base (functions
 * base_..., which return a Tensor). This header and sum.h contain all functions that reduce a dimension to one entry.
 *
 * d counts within the batch or within the base; a negative d counts from the end. All throw NEMLException for an
 * undefined tensor, a dtype for which they are not defined, a batch or base without dimensions, and a dimension out of range.
 */
namespace neml2
{
namespace math
{
/// A function (x, d) that checks that x has at least one entry along d, and then returns f(x, d).
template <class F>
auto
of_some(const Operation & op, const F & f)
{
  return [&op, f](const at::Tensor & x, Size d)
  {
    NEML2_CHECK(x.size(d) > 0,
                op.name,
                ": there are no entries along dimension ",
                d,
                " of the shape ",
                x.sizes(),
                ". Expected at least one.");
    return f(x, d);
  };
}

inline at::Tensor
largest(const at::Tensor & x, Size d)
{
  return x.amax(d);
}
inline at::Tensor
smallest(const at::Tensor & x, Size d)
{
  return x.amin(d);
}
inline at::Tensor
where_largest(const at::Tensor & x, Size d)
{
  return x.argmax(d, /*keepdim=*/true);
}
inline at::Tensor
where_smallest(const at::Tensor & x, Size d)
{
  return x.argmin(d, /*keepdim=*/true);
}
} // namespace math

// ---- Along the batch ---------------------------------------------------------------------------

/// The largest value of each component along batch dimension d: (..., n, ...; base) -> (...; base), in the unit
/// of a. NaN if any value is NaN. For integers, too. Equal values share the derivative.
/// @throws NEMLException also for n = 0.
template <class T, core::if_tensor<T> = 0>
T
batch_max(const T & a, Size d = 0)
{
  const core::Operation op("batch_max", core::Accepts::numbers);
  return math::along_batch(op, a, d, -1, math::of_some(op, math::largest));
}

/// The smallest value of each component along batch dimension d: (..., n, ...; base) -> (...; base), in the unit
/// of a. NaN if any value is NaN. For integers, too. Equal values share the derivative.
/// @throws NEMLException also for n = 0.
template <class T, core::if_tensor<T> = 0>
T
batch_min(const T & a, Size d = 0)
{
  const core::Operation op("batch_min", core::Accepts::numbers);
  return math::along_batch(op, a, d, -1, math::of_some(op, math::smallest));
}

/// The index where each component is largest along batch dimension d, which is kept with size 1: (..., n, ...; base) ->
/// (..., 1, ...; base) int64. If several entries are largest, the result is the index of any of them. NaN counts as
/// larger than any number.
/// @throws NEMLException also for n = 0.
template <class T, core::if_tensor<T> = 0>
T
batch_argmax(const T & a, Size d = 0)
{
  const core::Operation op("batch_argmax", core::Accepts::numbers);
  return math::along_batch(op, a, d, 0, math::of_some(op, math::where_largest));
}

/// The index where each component is smallest along batch dimension d, which is kept with size 1:
/// (..., n, ...; base) -> (..., 1, ...; base) int64. If several entries are smallest, the result is the index of any of
/// them. NaN counts as smaller than any number.
/// @throws NEMLException also for n = 0.
template <class T, core::if_tensor<T> = 0>
T
batch_argmin(const T & a, Size d = 0)
{
  const core::Operation op("batch_argmin", core::Accepts::numbers);
  return math::along_batch(op, a, d, 0, math::of_some(op, math::where_smallest));
}

// ---- Along the base ----------------------------------------------------------------------------

/// The largest value along base dimension d: (...; base) -> (...; the others), in the unit of a. NaN if any value is NaN.
/// For integers, too. Equal values share the derivative.
/// @throws NEMLException also for a dimension of size 0.
template <class T, core::if_tensor<T> = 0>
Tensor
base_max(const T & a, Size d = 0)
{
  const core::Operation op("base_max", core::Accepts::numbers);
  return math::along_base(op, a, d, math::of_some(op, math::largest));
}

/// The smallest value along base dimension d: (...; base) -> (...; the others), in the unit of a. NaN if any value is NaN.
/// For integers, too. Equal values share the derivative.
/// @throws NEMLException also for a dimension of size 0.
template <class T, core::if_tensor<T> = 0>
Tensor
base_min(const T & a, Size d = 0)
{
  const core::Operation op("base_min", core::Accepts::numbers);
  return math::along_base(op, a, d, math::of_some(op, math::smallest));
}

/// The index of the largest value along base dimension d, which is kept with size 1: (...; n, base) -> (...; 1, base)
/// int64 for d = 0. If several entries are largest, the result is the index of any of them. NaN counts as larger than
/// any number.
/// @throws NEMLException also for a dimension of size 0.
template <class T, core::if_tensor<T> = 0>
Tensor
base_argmax(const T & a, Size d = 0)
{
  const core::Operation op("base_argmax", core::Accepts::numbers);
  return math::along_base(op, a, d, math::of_some(op, math::where_largest));
}

/// The index of the smallest value along base dimension d, which is kept with size 1: (...; n, base) -> (...; 1, base)
/// int64 for d = 0. If several entries are smallest, the result is the index of any of them. NaN counts as smaller than
/// any number.
/// @throws NEMLException also for a dimension of size 0.
template <class T, core::if_tensor<T> = 0>
Tensor
base_argmin(const T & a, Size d = 0)
{
  const core::Operation op("base_argmin", core::Accepts::numbers);
  return math::along_base(op, a, d, math::of_some(op, math::where_smallest));
}
} // namespace neml2
