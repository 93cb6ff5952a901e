// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/plan.h"
#include "neml2/core/operands.h"

#include <algorithm>
#include <vector>

/**
 * A batch cut into slabs, so that the gradient by an argument all rows share stays small on its way to a sum.
 *
 * The cut depends on the shapes alone, not on the number of threads, and sums over the batch are added in
 * its order: results are bitwise the same however many threads there are.
 */
namespace neml2::engine
{
/// Slabs of a batch along the longest dimension an argument is broadcast along; one if there is none.
struct Slabs
{
  Size dim = 0; ///< counted from the last one, which is 1; 0 where the argument is not broadcast
  Size length = 1, thickness = 1, count = 1;

  /// `numbers` is how many a row has at most, among all that is computed of it.
  Slabs(TensorShapeRef batch, TensorShapeRef argument_batch, Size numbers)
  {
    constexpr Size numbers_in_slab = 1 << 17; // a megabyte
    const size_t missing = batch.size() - argument_batch.size();
    Size rows = 1;
    for (size_t d = 0; d < batch.size(); d++)
    {
      rows *= batch[d];
      const bool broadcast = d < missing || argument_batch[d - missing] != batch[d];
      if (broadcast && batch[d] > length)
      {
        length = batch[d];
        dim = Size(batch.size() - d);
      }
    }
    if (dim == 0 || rows == 0)
      return;
    thickness = std::max<Size>(1, numbers_in_slab / std::max<Size>(1, rows / length * numbers));
    count = (length + thickness - 1) / thickness;
  }

  /// What slab s has of a tensor: all of one that is broadcast along the slabs.
  at::Tensor of(const at::Tensor & t, Size batch_dim, Size s) const
  {
    if (count == 1 || batch_dim < dim || t.size(batch_dim - dim) == 1)
      return t;
    const Size begin = s * thickness;
    return t.narrow(batch_dim - dim, begin, std::min(thickness, length - begin));
  }
};

/// Adds all rows of `from` to the rows of `to` that they broadcast from, one after the other. Both of
/// float64 with adjacent components; shapes are those of batches.
inline void
add_rows(const double * from,
         TensorShapeRef from_batch,
         double * to,
         TensorShapeRef to_batch,
         Size components)
{
  const size_t n = from_batch.size(), missing = n - to_batch.size();
  std::vector<Size> at(n, 0), stride(n, 0);
  Size rows = 1, distance = components;
  for (size_t d = n; d-- > 0;)
  {
    rows *= from_batch[d];
    if (d >= missing && to_batch[d - missing] != 1)
    {
      stride[d] = distance;
      distance *= to_batch[d - missing];
    }
  }
  for (Size r = 0; r < rows; r++, from += components)
  {
    for (Size c = 0; c < components; c++)
      to[c] += from[c];
    for (size_t d = n; d-- > 0;)
    {
      to += stride[d];
      if (++at[d] < from_batch[d])
        break;
      to -= stride[d] * from_batch[d];
      at[d] = 0;
    }
  }
}

/// A plain tensor summed to a shape it broadcasts from, of so many base dimensions, as float64.
inline at::Tensor
summed(const at::Tensor & t, TensorShapeRef to, Size base_dim)
{
  const at::Tensor from = t.to(kFloat64).contiguous();
  if (from.sizes() == to)
    return from;
  const at::Tensor sum = at::zeros(to, TensorOptions(kFloat64));
  const size_t n = size_t(from.dim() - base_dim), m = to.size() - size_t(base_dim);
  add_rows(static_cast<const double *>(from.data_ptr()),
           from.sizes().slice(0, n),
           static_cast<double *>(sum.data_ptr()),
           to.slice(0, m),
           utils::numel(to.slice(m)));
  return sum;
}

/// The gradient of a slab of the batch by an argument, not yet summed.
using GradientOfSlab = c10::function_ref<at::Tensor(Size slab)>;

/// The gradient by an argument that is broadcast along the slabs: the sum of theirs, in their order.
inline at::Tensor
sum_of_slabs(const Slabs & slabs,
             const at::Tensor & argument,
             Size batch_dim,
             GradientOfSlab gradient)
{
  const Size base_dim = argument.dim() - batch_dim;
  const auto part = [&](Size s) { return summed(gradient(s), argument.sizes(), base_dim); };
  constexpr Size numbers_kept = 1 << 20;
  if (slabs.count == 1 || slabs.count * argument.numel() > numbers_kept)
  {
    at::Tensor sum = part(0);
    if (slabs.count > 1)
      sum = sum.clone(); // may be a gradient that others see
    for (Size s = 1; s < slabs.count; s++)
      sum.add_(part(s));
    return sum.to(argument.scalar_type());
  }
  std::vector<at::Tensor> parts(size_t(slabs.count));
  at::parallel_for(0,
                   slabs.count,
                   1,
                   [&](Size begin, Size end)
                   {
                     const c10::AutoGradMode off(false); // every thread has a mode of its own
                     for (Size s = begin; s < end; s++)
                       parts[size_t(s)] = part(s);
                   });
  at::Tensor sum = parts[0].clone();
  for (size_t s = 1; s < parts.size(); s++)
    sum.add_(parts[s]);
  return sum.to(argument.scalar_type());
}
} // namespace neml2::engine
