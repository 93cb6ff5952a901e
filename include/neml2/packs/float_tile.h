// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/packs/forward_tile.h"

/// The loop over one tile (a series of rows) for formulas whose rows are single numbers of float32. It runs them on packs of float32.
namespace neml2::packs
{
/**
 * The tile of a formula of K numbers that returns one number. Its packs fill the vectors of the instruction set: they hold twice as many
 * numbers as packs of float64.
 *
 * `data` points to float32, although its type says double. Numbers that are not adjacent, and numbers after the last whole pack, are first
 * copied side by side. The formula is therefore inlined only once, and a row is computed by the same instructions wherever it lies.
 */
template <class F, int K>
struct FloatTile
{
  static constexpr bool is_numbers = true;

  template <class P>
  NEML2_CALLS_FORMULA static void
  run(const void * formula, double * const * data, const int64_t * stride, int64_t rows)
  {
    run<Pack<P::width == 1 ? 1 : 2 * P::width, float>>(*static_cast<const F *>(formula),
                                                       data,
                                                       stride,
                                                       rows,
                                                       std::make_index_sequence<size_t(K)>());
  }

private:
  template <class P, size_t... I>
  NEML2_CALLS_FORMULA static void run(const F & formula,
                                      double * const * data,
                                      const int64_t * stride,
                                      int64_t rows,
                                      std::index_sequence<I...>)
  {
    constexpr int W = P::width;
    float copies[K + 1][W];
    float * p[K + 1];
    for (int k = 0; k <= K; k++)
      p[k] = reinterpret_cast<float *>(data[k]);
    for (int k = 0; k < K; k++)
      if (stride[k] == 0)
        copy(copies[k], p[k], 0, W);
    const bool in_place = side_by_side(stride);
    for (int64_t left = rows; left > 0;)
    {
      const bool is_run = in_place && left >= W;
      const int64_t packs = is_run ? left / W : 1, count = is_run ? packs * W : left < W ? left : W;
      const float * x[K];
      int64_t step[K];
      for (int k = 0; k < K; k++)
      {
        if (!is_run && stride[k] != 0)
          copy(copies[k], p[k], stride[k], int(count));
        x[k] = is_run && stride[k] != 0 ? p[k] : copies[k];
        step[k] = stride[k] * W;
      }
      float * const y = is_run ? p[K] : copies[K];
      for (int64_t i = 0; i < packs; i++)
        P(result_of<0>(formula(P::load(x[I] + i * step[I])...))).store(y + i * W);
      for (int64_t w = 0; !is_run && w < count; w++)
        p[K][w * stride[K]] = y[w];
      left -= count;
      for (int k = 0; k <= K; k++)
        p[k] += count * stride[k];
    }
  }

  /// Whether whole packs can be loaded and stored in place.
  static bool side_by_side(const int64_t * stride)
  {
    bool yes = stride[K] == 1;
    for (int k = 0; k < K; k++)
      yes = yes && (stride[k] == 1 || stride[k] == 0);
    return yes;
  }

  /// Copies `rows` numbers, and fills the rest of the pack with the last of them.
  template <int W>
  NEML2_INLINE static void copy(float (&to)[W], const float * from, int64_t stride, int rows)
  {
    for (int w = 0; w < W; w++)
      to[w] = from[(w < rows ? w : rows - 1) * stride];
  }
};

/// The loop of a FloatTile, and the width of its packs.
template <class Tile>
TileLoop
float_loop()
{
  TileLoop loop = tile_loop<Tile>();
  if (loop.width > 1)
    loop.width *= 2;
  return loop;
}
} // namespace neml2::packs
