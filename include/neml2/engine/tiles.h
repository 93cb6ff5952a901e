// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/plan.h"
#include "neml2/engine/threads.h"
#include "neml2/packs/copy_rows.h"
#include "neml2/packs/forward_tile.h"

#include <algorithm>
#include <memory>

/// Walks over the tiles of a planned batch (see plan.h), on several threads.
namespace neml2::engine
{
/// The number of packs of rows in a tile, for rows of this many numbers. It is large enough that moving to the next tile costs little, and
/// small enough that operands that are shared along other dimensions stay in the cache.
constexpr Size
tile_blocks(int numbers)
{
  return numbers <= 4 ? 256 : 32;
}

/// Buffers for operands that are not direct. Tiles read and write rows of adjacent float64 components in these buffers.
struct Buffers
{
  std::unique_ptr<double[]> numbers;

  Buffers(const Plan & plan, Size tile)
  {
    Size n = 0;
    for (int k = 0; k < plan.operands; k++)
      n += plan.operand[k].is_direct() ? 0 : tile * plan.operand[k].components;
    if (n > 0)
      numbers.reset(new double[size_t(n)]); // uninitialised
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
    const RowsAt at{o.offset, o.components, stride};
    if (o.is_float)
      copy_rows<Back>(buffer, reinterpret_cast<float *>(data), at, rows);
    else
      copy_rows<Back>(buffer, reinterpret_cast<double *>(data), at, rows);
  }
};

/// Visits tiles [begin, end), each of `tile` rows.
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

/// The number of rows in a tile; `numbers` is the count of numbers that a row reads and writes. If buffers are used, a tile has few rows:
/// this is fastest for operands that are columns of tensors which are too large for the caches.
inline Size
tile_rows(const TileLoop & loop, const Plan & plan, int numbers)
{
  bool direct = true;
  for (int k = 0; k < plan.operands; k++)
    direct = direct && plan.operand[k].is_direct();
  constexpr Size buffered = 64;
  return direct ? tile_blocks(numbers) * loop.width : buffered;
}

/// The number of tiles of `tile` rows.
inline Size
tile_count(const Plan & plan, Size tile)
{
  Size tiles = 1;
  for (int d = 0; d < plan.dims; d++)
    tiles *= d == plan.lane_dim ? (plan.size[d] + tile - 1) / tile : plan.size[d];
  return tiles;
}

/// Evaluates all rows, in tiles of `tile` rows.
inline void
run_tiles(const TileLoop & loop, const void * formula, const Plan & plan, Size tile, int numbers)
{
  const Size tiles = tile_count(plan, tile);
  if (tiles == 0)
    return;
  // Waking the threads takes about as long as moving this many numbers; this was measured on two cores.
  constexpr Size numbers_a_thread = 65536;
  const Size numbers_a_tile =
      tile * std::max(1, numbers); // `numbers` is 0 if no tensor has components
  const Size grain = std::max<Size>(1, numbers_a_thread / numbers_a_tile);
  if (tiles <= grain)
    visit_tiles(loop, formula, plan, tile, 0, tiles);
  else
    in_parallel(tiles,
                grain,
                [&](Size begin, Size end) { visit_tiles(loop, formula, plan, tile, begin, end); });
}

} // namespace neml2::engine
