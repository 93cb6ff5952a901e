// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/groups.h"

/**
 * Sums and means along dimensions of the batch (functions batch_..., which keep the type) or of the base (functions base_..., which
 * return a Tensor).
 *
 * The largest and smallest values are in reduction.h. d counts within the batch or within the base; a negative d counts
 * from the end. Sums over the base add in the same order for every layout in memory. All throw NEMLException for an
 * undefined tensor, a dtype for which they are not defined, a batch or base without dimensions, and a dimension out of range.
 */
namespace neml2
{
namespace math
{
/// Sums the operand along some of the dimensions [lo, lo + from.size()), so that their shape `from` becomes `to`.
inline at::Tensor
sum_group(const Operation & op, const Operand & o, Size lo, TensorShapeRef from, TensorShapeRef to)
{
  const Size missing = Size(from.size()) - Size(to.size());
  SmallVector<Size, 8> dims;
  bool fits = missing >= 0;
  for (Size i = 0; fits && i < Size(from.size()); i++)
  {
    const Size target = i < missing ? 1 : to[size_t(i - missing)];
    fits = target == from[size_t(i)] || target == 1;
    if (i < missing || target != from[size_t(i)])
      dims.push_back(lo + i);
  }
  NEML2_CHECK(fits,
              op.name,
              ": the shape ",
              to,
              " does not expand to ",
              from,
              " of ",
              o,
              ". Expected the same sizes, or 1 along dimensions to sum over; leading dimensions "
              "may be missing.");
  at::Tensor r = *o.tensor;
  if (!dims.empty())
    r = r.sum(dims, /*keepdim=*/true, r.scalar_type());
  for (Size i = 0; i < missing; i++)
    r = r.squeeze(lo);
  return r;
}
} // namespace math

// ---- Along the batch ----

/// Σ along batch dimension d: (..., n, ...; base) -> (...; base), in the unit of a. Integers give int64;
/// bool gives the number of true entries, as int64.
template <class T, core::if_tensor<T> = 0>
T
batch_sum(const T & a, Size d = 0)
{
  return math::along_batch(core::Operation("batch_sum", core::Accepts::any),
                           a,
                           d,
                           -1,
                           [](const at::Tensor & x, Size p) { return x.sum(p); });
}

/// Mean along batch dimension d: (..., n, ...; base) -> (...; base), in the unit of a; NaN for n = 0.
/// For floating types.
template <class T, core::if_tensor<T> = 0>
T
batch_mean(const T & a, Size d = 0)
{
  return math::along_batch(
      "batch_mean", a, d, -1, [](const at::Tensor & x, Size p) { return x.mean(p); });
}

/// The reverse of batch_expand: sums a to this batch shape, which must expand to the batch shape of a. (...; base) ->
/// (shape; base), in the unit and dtype of a. The result is a itself if there is nothing to sum.
/// @throws NEMLException also for a shape that does not expand to that of a.
template <class T, core::if_tensor<T> = 0>
T
batch_sum_to_size(const T & a, const TraceableTensorShape & shape)
{
  const core::Operation op("batch_sum_to_size", core::Accepts::numbers);
  const auto o = core::operand(a);
  core::check_operand(op, o);
  return T(core::Trusted(), math::sum_group(op, o, 0, o.batch(), shape), Size(shape.size()));
}

// ---- Along the base ----

/// Σ along one or several base dimensions: (...; base) -> (...; the others), in the unit of a. Integers
/// give int64; bool gives the number of true entries, as int64. keepdim leaves the dimensions with size 1.
/// @throws NEMLException also for an empty list of dimensions.
template <class T, core::if_tensor<T> = 0>
Tensor
base_sum(const T & a, TensorShapeRef d = 0, bool keepdim = false)
{
  const core::Operation op("base_sum", core::Accepts::any);
  const auto o = core::operand(a);
  SmallVector<Size, 8> dims;
  for (const Size i : d)
    dims.push_back(math::base_dimension(op, o, i));
  NEML2_CHECK(
      !dims.empty(), op.name, ": name the base dimensions to sum along; the list is empty.");
  return Tensor(core::Trusted(),
                core::translate_errors(
                    op.name, [&] { return a.contiguous().sum(dims, keepdim); }, o),
                a.batch_dim());
}

/// Mean along base dimension d: (...; base) -> (...; the others), in the unit of a; NaN if the size of the
/// dimension is 0. For floating types.
template <class T, core::if_tensor<T> = 0>
Tensor
base_mean(const T & a, Size d = 0)
{
  return math::along_base(
      "base_mean", a, d, [](const at::Tensor & x, Size p) { return x.contiguous().mean(p); });
}

/// The reverse of base_expand: sums a to this base shape, which must expand to the base shape of a. (...; base) ->
/// (...; shape), in the unit and dtype of a. The result is a itself if there is nothing to sum.
/// @throws NEMLException also for a shape that does not expand to that of a.
template <class T, core::if_tensor<T> = 0>
Tensor
base_sum_to_size(const T & a, TensorShapeRef shape)
{
  const core::Operation op("base_sum_to_size", core::Accepts::numbers);
  const auto o = core::operand(a);
  core::check_operand(op, o);
  return Tensor(
      core::Trusted(), math::sum_group(op, o, a.batch_dim(), o.base, shape), a.batch_dim());
}
} // namespace neml2
