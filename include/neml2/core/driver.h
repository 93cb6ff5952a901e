// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/errors.h"
#include "neml2/core/simd.h"
#include "neml2/core/types.h"

#include <algorithm>
#include <array>

/**
 * Runs a formula over the rows of a batch: broadcasting, tiles, threads.
 *
 * A broadcast dimension is a stride of 0: nothing is expanded or copied. Rows
 * fill the lanes of packs along one dimension, the innermost one, or the
 * longest where that one is short, in tiles, so that an operand which does not
 * change along a tile (a stiffness shared by all points) is loaded once for it.
 */
namespace neml2::core
{
constexpr int max_dims = 8; ///< batch dimensions left after merging; more take the composed path
constexpr int max_operands = 16; ///< inputs and outputs of one operation

/// Blocks of rows along the lane dimension in a tile of rows of so many numbers: enough to share the
/// cost of moving to the next tile, few enough that what other dimensions share stays in the cache.
constexpr Size
tile_blocks(int numbers)
{
  return numbers <= 4 ? 256 : 32;
}
struct RowLayout
{
  char * data;
  const Size * offset;   ///< of each component, in elements; null if they are adjacent
  Size stride[max_dims]; ///< of each merged batch dimension, in elements
};

/// The memory of one operand; a plain number has no dimension.
struct Memory
{
  char * data;
  TensorShapeRef sizes, strides;
  Size batch_dim;
};

/// The memory of a tensor whose batch dimensions are its first ones.
inline Memory
memory(const at::Tensor & t, Size batch_dim)
{
  return {static_cast<char *>(t.data_ptr()), t.sizes(), t.strides(), batch_dim};
}

/// How to walk over the batch.
struct Plan
{
  int operands;
  int dims = 0;
  int lane_dim = 0; ///< the dimension whose rows fill the lanes
  Size size[max_dims];
  RowLayout operand[max_operands];
  SmallVector<Size, 0> offsets; ///< of the operands whose components are not adjacent

  /// Plans a walk over the batch shape, to which all operands broadcast. False
  /// if there are more dimensions that do not merge than a plan holds.
  bool set(TensorShapeRef batch, ArrayRef<Memory> memories)
  {
    operands = int(memories.size());
    const Size n = Size(batch.size());
    for (Size d = 0; d < n; d++)
    {
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
      operand[k].data = memories[size_t(k)].data;
    set_offsets(memories);
    return true;
  }

private:
  /// Adds the next inner dimension; merges it with the previous one where all
  /// operands allow.
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

  /// The innermost dimension; the longest where that one is short and would
  /// leave lanes empty.
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
      first[k] = offsets.size();
      const auto sizes = m.sizes.slice(size_t(m.batch_dim));
      const auto strides = m.strides.slice(size_t(m.batch_dim));
      Size count = 1;
      bool adjacent = true;
      for (size_t d = sizes.size(); d-- > 0;)
      {
        adjacent = adjacent && strides[d] == count;
        count *= sizes[d];
      }
      for (Size c = 0; c < count && !adjacent; c++)
      {
        Size offset = 0, rest = c;
        for (size_t d = sizes.size(); d-- > 0;)
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

/// Evaluates a formula for consecutive rows along the lane dimension; data is
/// each operand's first row.
using TileLoop =
    Compiled<const void * /*formula*/, const Plan &, char * const * /*data*/, Size /*rows*/>;

template <class E, class Tile>
TileLoop
tile_loop()
{
  return compiled<E, Tile, const void *, const Plan &, char * const *, Size>();
}

/// Visits tiles [begin, end) of so many rows.
inline void
visit_tiles(const TileLoop & loop,
            const void * formula,
            const Plan & plan,
            Size element,
            Size tile,
            Size begin,
            Size end)
{
  const int lane = plan.lane_dim;
  Size at[max_dims], count[max_dims];
  char * data[max_operands];
  for (int k = 0; k < plan.operands; k++)
    data[k] = plan.operand[k].data;
  const auto step = [&](int d, int k)
  { return plan.operand[k].stride[d] * element * (d == lane ? tile : 1); };

  Size rest = begin;
  for (int d = plan.dims - 1; d >= 0; d--)
  {
    count[d] = d == lane ? (plan.size[d] + tile - 1) / tile : plan.size[d];
    at[d] = rest % count[d];
    rest /= count[d];
    for (int k = 0; k < plan.operands; k++)
      data[k] += at[d] * step(d, k);
  }
  for (Size t = begin; t < end; t++)
  {
    loop.run(formula, plan, data, std::min(tile, plan.size[lane] - at[lane] * tile));
    for (int d = plan.dims - 1; d >= 0; d--)
    {
      const bool more = ++at[d] < count[d];
      if (!more)
        at[d] = 0;
      for (int k = 0; k < plan.operands; k++)
        data[k] += more ? step(d, k) : -step(d, k) * (count[d] - 1);
      if (more)
        break;
    }
  }
}

/// Evaluates all rows; `numbers` is how many numbers a row reads and writes,
/// `element` their bytes.
inline void
run(const TileLoop & loop, const void * formula, const Plan & plan, Size element, int numbers)
{
  const Size tile = tile_blocks(numbers) * loop.width;
  Size tiles = 1;
  for (int d = 0; d < plan.dims; d++)
    tiles *= d == plan.lane_dim ? (plan.size[d] + tile - 1) / tile : plan.size[d];
  if (tiles == 0)
    return;
  // Waking the threads costs about as much as moving this many numbers:
  // measured on two cores.
  constexpr Size numbers_a_thread = 65536;
  const Size grain = std::max<Size>(1, numbers_a_thread / (tile * numbers));
  if (tiles <= grain)
    visit_tiles(loop, formula, plan, element, tile, 0, tiles);
  else
    at::parallel_for(0,
                     tiles,
                     grain,
                     [&](Size begin, Size end)
                     { visit_tiles(loop, formula, plan, element, tile, begin, end); });
}

} // namespace neml2::core
