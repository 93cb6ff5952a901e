// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/limits.h"
#include "neml2/core/operands.h"

#include <algorithm>
#include <vector>

/**
 * If all rows share an argument, the gradient with respect to it is a sum over the batch. The batch is cut into slabs, and the sum is
 * computed slab by slab, which keeps the memory for the summands small.
 *
 * The slabs depend only on the shapes, not on the number of threads, and the summands are added in the order of the batch. Therefore
 * results are bitwise the same for any number of threads.
 */
namespace neml2::engine
{
/// Slabs of a batch along the longest dimension along which an argument is broadcast; one slab if there is no such dimension.
struct Slabs
{
  /// Counted from the last dimension, which has the number 1; 0 if the argument is not broadcast.
  Size dim = 0;
  Size length = 1, thickness = 1, count = 1;

  /// `numbers` is the count of numbers per row. A slab has about numbers_in_slab numbers; by default these are a megabyte of float64.
  Slabs(TensorShapeRef batch,
        TensorShapeRef argument_batch,
        Size numbers,
        Size numbers_in_slab = 1 << 17)
  {
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

  /// The part of a tensor in slab s. It is the whole tensor if the tensor is broadcast along the slabs.
  at::Tensor of(const at::Tensor & t, Size batch_dim, Size s) const
  {
    if (count == 1 || batch_dim < dim || t.size(batch_dim - dim) == 1)
      return t;
    const Size begin = s * thickness;
    return t.narrow(batch_dim - dim, begin, std::min(thickness, length - begin));
  }
};

/// Sums t to the shape `to`, which broadcasts to the shape of t. Both have base_dim base dimensions. The sum is float64.
at::Tensor summed(const at::Tensor & t, TensorShapeRef to, Size base_dim);

/// The gradient with respect to an argument, on one slab of the batch, not yet summed.
using GradientOfSlab = c10::function_ref<at::Tensor(Size slab)>;

/// The gradient with respect to an argument that is broadcast along the slabs. It is the sum of the slabs' gradients, added in their order.
at::Tensor sum_of_slabs(const Slabs & slabs,
                        const at::Tensor & argument,
                        Size batch_dim,
                        GradientOfSlab gradient);
} // namespace neml2::engine

#ifndef NEML2_COMPILED // otherwise the compiled library defines these functions
#include "neml2/engine/slabs-inl.h"
#endif
