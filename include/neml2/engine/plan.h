// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/errors.h"
#include "neml2/packs/lanes.h"
#include "neml2/core/types.h"

#include <algorithm>
#include <array>
#include <memory>

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

/// The memory of one operand; a plain number has no dimension.
struct Memory
{
  char * data;
  TensorShapeRef sizes, strides;
  Size batch_dim;
  bool is_float = false; ///< float32, which is widened to float64 tile by tile
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

/// How the rows of one operand lie in memory.
struct RowLayout
{
  char * data;
  const Size * offset; ///< of each component, in elements; null if they are adjacent
  Size components;
  Size stride[max_dims]; ///< of each merged batch dimension, in elements
  Size tile_stride;      ///< from tile to tile along the lanes if not that of the rows, else 0
  bool is_float;

  /// Whether tiles read or write it where it is; else they do through a buffer of whole rows.
  bool is_direct() const { return !offset && !is_float; }
  Size element() const { return is_float ? Size(sizeof(float)) : Size(sizeof(double)); }
};

/// How to walk over the batch.
struct Plan
{
  int operands; ///< arguments, then results
  int inputs;   ///< how many of them are arguments
  int dims = 0;
  int lane_dim = 0; ///< the dimension whose rows fill the lanes
  Size size[max_dims];
  RowLayout operand[max_operands];
  SmallVector<Size, 0> offsets; ///< of the operands whose components are not adjacent

  /// Plans a walk over the batch shape, to which all operands broadcast. False
  /// if there are more dimensions that do not merge than a plan holds.
  bool set(TensorShapeRef batch, ArrayRef<Memory> memories, int arguments)
  {
    operands = int(memories.size());
    inputs = arguments;
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
    {
      operand[k].data = memories[size_t(k)].data;
      operand[k].is_float = memories[size_t(k)].is_float;
      operand[k].tile_stride = 0;
    }
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

/// Evaluates a formula for consecutive rows along the lane dimension; data is each operand's first
/// row, stride from row to row.
using TileLoop = Compiled<const void * /*formula*/,
                          double * const * /*data*/,
                          const Size * /*stride*/,
                          Size /*rows*/>;

template <class Tile>
TileLoop
tile_loop()
{
  return compiled<Tile, const void *, double * const *, const Size *, Size>();
}

/// Copies rows to adjacent components of float64, or back.
template <bool Back, class E>
void
copy_rows(double * buffer, const RowLayout & o, char * data, Size stride, Size rows)
{
  E * const first = reinterpret_cast<E *>(data);
  const Size n = o.components;
  if constexpr (std::is_same_v<E, float>)
    if (!o.offset && stride == n) // one run
      return Back ? convert(first, buffer, rows * n) : convert(buffer, first, rows * n);
  for (Size r = 0; r < rows; r++)
    for (Size c = 0; c < n; c++)
    {
      E & number = first[r * stride + (o.offset ? o.offset[c] : c)];
      if constexpr (Back)
        number = E(buffer[r * n + c]);
      else
        buffer[r * n + c] = double(number);
    }
}

/// What operands that are not direct look like to a tile: rows of adjacent components of float64.
struct Buffers
{
  std::unique_ptr<double[]> numbers;

  Buffers(const Plan & plan, Size tile)
  {
    Size n = 0;
    for (int k = 0; k < plan.operands; k++)
      n += plan.operand[k].is_direct() ? 0 : tile * plan.operand[k].components;
    if (n > 0)
      numbers.reset(new double[size_t(n)]); // not set
  }

  /// Runs the loop on one tile, through the buffers.
  void run(const TileLoop & loop,
           const void * formula,
           const Plan & plan,
           char * const * data,
           Size rows)
  {
    double * p[max_operands];
    Size stride[max_operands];
    double * next = numbers.get();
    for (int k = 0; k < plan.operands; k++)
    {
      const RowLayout & o = plan.operand[k];
      stride[k] = o.stride[plan.lane_dim];
      p[k] = reinterpret_cast<double *>(data[k]);
      if (o.is_direct())
        continue;
      p[k] = next;
      const Size count = stride[k] == 0 ? 1 : rows;
      next += count * o.components;
      if (k < plan.inputs)
        copy<false>(p[k], o, data[k], stride[k], count);
      stride[k] = stride[k] == 0 ? 0 : o.components;
    }
    loop.run(formula, p, stride, rows);
    for (int k = plan.inputs; k < plan.operands; k++)
    {
      const RowLayout & o = plan.operand[k];
      if (!o.is_direct())
        copy<true>(p[k], o, data[k], o.stride[plan.lane_dim], stride[k] == 0 ? 1 : rows);
    }
  }

private:
  template <bool Back>
  static void copy(double * buffer, const RowLayout & o, char * data, Size stride, Size rows)
  {
    if (o.is_float)
      copy_rows<Back, float>(buffer, o, data, stride, rows);
    else
      copy_rows<Back, double>(buffer, o, data, stride, rows);
  }
};

/// Visits tiles [begin, end) of so many rows.
inline void
visit_tiles(
    const TileLoop & loop, const void * formula, const Plan & plan, Size tile, Size begin, Size end)
{
  const int lane = plan.lane_dim;
  Size at[max_dims], count[max_dims];
  char * data[max_operands];
  Buffers buffers(plan, std::min(tile, plan.size[lane]));
  for (int k = 0; k < plan.operands; k++)
    data[k] = plan.operand[k].data;
  const auto step = [&](int d, int k)
  {
    const RowLayout & o = plan.operand[k];
    if (d != lane)
      return o.stride[d] * o.element();
    return (o.tile_stride ? o.tile_stride : o.stride[d] * tile) * o.element();
  };

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
    buffers.run(loop, formula, plan, data, std::min(tile, plan.size[lane] - at[lane] * tile));
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

/// Rows in a tile; `numbers` is how many numbers a row reads and writes. Buffers stay in the nearest
/// cache.
inline Size
tile_rows(const TileLoop & loop, const Plan & plan, int numbers)
{
  bool direct = true;
  for (int k = 0; k < plan.operands; k++)
    direct = direct && plan.operand[k].is_direct();
  constexpr Size numbers_in_buffers = 3072;
  const Size blocks = tile_blocks(numbers);
  if (direct)
    return blocks * loop.width;
  return std::max<Size>(8, std::min(blocks, numbers_in_buffers / (numbers * loop.width))) *
         loop.width;
}

/// Number of tiles of so many rows.
inline Size
tile_count(const Plan & plan, Size tile)
{
  Size tiles = 1;
  for (int d = 0; d < plan.dims; d++)
    tiles *= d == plan.lane_dim ? (plan.size[d] + tile - 1) / tile : plan.size[d];
  return tiles;
}

/// Evaluates all rows, in tiles of so many.
inline void
run(const TileLoop & loop, const void * formula, const Plan & plan, Size tile, int numbers)
{
  const Size tiles = tile_count(plan, tile);
  if (tiles == 0)
    return;
  // Waking the threads costs about as much as moving this many numbers: measured on two cores.
  constexpr Size numbers_a_thread = 65536;
  const Size grain = std::max<Size>(1, numbers_a_thread / (tile * numbers));
  if (tiles <= grain)
    visit_tiles(loop, formula, plan, tile, 0, tiles);
  else
    at::parallel_for(0,
                     tiles,
                     grain,
                     [&](Size begin, Size end)
                     { visit_tiles(loop, formula, plan, tile, begin, end); });
}

} // namespace neml2::core
