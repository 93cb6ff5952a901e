// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/limits.h"

/**
 * The layout of a batch's rows (its single tensors) in memory, and the order in which they are visited.
 *
 * A broadcast dimension has a stride of 0, so nothing is expanded or copied. Several rows are computed at once, one in each lane of a pack
 * (SIMD vector). These rows follow each other along one dimension: the innermost one, or the longest if the innermost is short. Many rows
 * along this dimension form a tile. An operand that does not change along a tile, such as a stiffness that all points share, is loaded
 * once per tile.
 */
namespace neml2::engine
{
/// The memory of one operand; a plain number has no dimensions.
struct Memory
{
  char * data;
  TensorShapeRef sizes, strides;
  Size batch_dim;
  /// Whether the numbers are float32; most formulas convert them to float64, tile by tile.
  bool is_float = false;
};

/// The memory of a tensor whose batch dimensions are its first ones.
inline Memory
memory(const at::Tensor & t, Size batch_dim)
{
  return {static_cast<char *>(t.data_ptr()),
          t.sizes(),
          t.strides(),
          batch_dim,
          t.scalar_type() == kFloat32};
}

/// Batch dimensions from the outermost to the innermost in memory; empty if they already have this order.
using Order = SmallVector<Size, 5>;

/// Whether the batch has more than one dimension, and the operand has a different row at every point of the batch.
inline bool
spans(const Memory & m, TensorShapeRef batch)
{
  const size_t n = batch.size();
  bool yes = n > 1 && m.batch_dim == Size(n);
  for (size_t d = 0; d < n && yes; d++)
    yes = batch[d] == 1 || (m.sizes[d] == batch[d] && m.strides[d] != 0);
  return yes;
}

/// The order in which an operand that spans the batch lies in memory.
inline Order
memory_order(const Memory & m, TensorShapeRef batch)
{
  Order order;
  bool own = true;
  for (Size d = 0; d < Size(batch.size()); d++)
  {
    size_t at = order.size();
    while (batch[size_t(d)] != 1 && at > 0 && batch[size_t(order[at - 1])] != 1 &&
           m.strides[size_t(order[at - 1])] < m.strides[size_t(d)])
      at--;
    own = own && at == order.size();
    order.insert(order.begin() + at, d);
  }
  return own ? Order() : order;
}

/// How the rows of one operand lie in memory.
struct RowLayout
{
  char * data;
  const Size * offset; ///< per component, in elements; null if the components are adjacent
  Size components;
  Size stride[max_dims]; ///< per merged batch dimension, in elements
  /// The distance from tile to tile along lane_dim; 0 means the number of rows times `stride`.
  Size tile_stride;
  bool is_float;
  bool stays_float; ///< whether it is float32, and tiles read it without converting it to float64

  /// Whether tiles read or write the operand in place; otherwise they use a buffer of whole rows.
  bool is_direct() const { return !offset && (!is_float || stays_float); }
  Size element() const { return is_float ? Size(sizeof(float)) : Size(sizeof(double)); }
};

/// The plan of a walk over the batch.
struct Plan
{
  int operands; ///< arguments, then results
  int inputs;   ///< how many operands are arguments
  int dims = 0;
  int lane_dim = 0; ///< the dimension whose rows fill the lanes
  Size size[max_dims];
  RowLayout operand[max_operands];
  SmallVector<Size, 0> offsets; ///< the offsets of operands whose components are not adjacent

  /// Plans a walk over a batch to whose shape all operands broadcast. The walk follows the memory of the first result. Returns false if
  /// more dimensions remain after merging than a plan holds.
  bool set(TensorShapeRef batch, ArrayRef<Memory> memories, int arguments)
  {
    operands = int(memories.size());
    inputs = arguments;
    const Size n = Size(batch.size());
    const Memory & result = memories[size_t(arguments)];
    const Order order = spans(result, batch) ? memory_order(result, batch) : Order();
    for (Size i = 0; i < n; i++)
    {
      const Size d = order.empty() ? i : order[size_t(i)];
      Size stride[max_operands];
      for (int k = 0; k < operands; k++)
      {
        const Memory & m = memories[size_t(k)];
        const Size own = d - n + m.batch_dim;
        stride[k] = own < 0 || m.sizes[size_t(own)] == 1 ? 0 : m.strides[size_t(own)];
      }
      if (!add_dim(batch[size_t(d)], stride))
        return false;
    }
    choose_lane_dim();
    for (int k = 0; k < operands; k++)
    {
      operand[k].data = memories[size_t(k)].data;
      operand[k].is_float = memories[size_t(k)].is_float;
      operand[k].stays_float = false;
      operand[k].tile_stride = 0;
    }
    set_offsets(memories);
    return true;
  }

private:
  /// Adds the next inner dimension, or merges it with the previous dimension if the strides of all operands allow that. Returns false if
  /// there are too many dimensions.
  bool add_dim(Size n, const Size * stride)
  {
    if (n == 1)
      return true;
    bool merge = dims > 0;
    for (int k = 0; k < operands && merge; k++)
      merge = operand[k].stride[dims - 1] == stride[k] * n;
    if (!merge && dims == max_dims)
      return false;
    const int d = merge ? dims - 1 : dims++;
    size[d] = merge ? size[d] * n : n;
    for (int k = 0; k < operands; k++)
      operand[k].stride[d] = stride[k];
    return true;
  }

  /// Chooses the innermost dimension as lane_dim, or the longest dimension if the innermost is short and would leave lanes empty.
  void choose_lane_dim()
  {
    if (dims == 0)
    {
      dims = 1;
      size[0] = 1;
      for (int k = 0; k < operands; k++)
        operand[k].stride[0] = 0;
    }
    lane_dim = dims - 1;
    if (size[lane_dim] < 16)
      for (int d = 0; d < dims; d++)
        if (size[d] > size[lane_dim])
          lane_dim = d;
  }

  void set_offsets(ArrayRef<Memory> memories)
  {
    size_t first[max_operands];
    for (int k = 0; k < operands; k++)
    {
      const Memory & m = memories[size_t(k)];
      const Size *sizes = m.sizes.data(), *strides = m.strides.data(), dim = Size(m.sizes.size());
      first[k] = offsets.size();
      Size count = 1;
      bool adjacent = true;
      for (Size d = dim; d-- > m.batch_dim;)
      {
        adjacent = adjacent && strides[d] == count;
        count *= sizes[d];
      }
      operand[k].components = count;
      for (Size c = 0; c < count && !adjacent; c++)
      {
        Size offset = 0, rest = c;
        for (Size d = dim; d-- > m.batch_dim;)
        {
          offset += rest % sizes[d] * strides[d];
          rest /= sizes[d];
        }
        offsets.push_back(offset);
      }
    }
    for (int k = 0; k < operands; k++)
    {
      const size_t end = k + 1 < operands ? first[k + 1] : offsets.size();
      operand[k].offset = first[k] == end ? nullptr : offsets.data() + first[k];
    }
  }
};
} // namespace neml2::engine
