// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/packs/forward_tile.h"
#include "neml2/recorded/compiled.h"

/// The header with which the sources of recorded formulas for a CPU are compiled. It contains their tile loop (a loop over many rows, the
/// points of a batch), without LibTorch.
namespace neml2::recorded
{
/// The tile of a formula. The formula computes the components y of the results from the components x of a row, and from the values that
/// `once` has computed from shared components. The operands are the arguments, then the results. With `sums`, a result of stride 0 is the
/// sum over the tile.
template <class Formula, bool sums, class Arguments, class Results>
struct CompiledTile
{
  static constexpr int K = Arguments::count, all = K + Results::count;
  static constexpr bool is_numbers = false;
  static constexpr bool runs_on_any_machine = true;

  template <class P>
  NEML2_CALLS_FORMULA static void
  run(const void *, double * const * data, const int64_t * stride, int64_t rows)
  {
    run<P>(data,
           stride,
           rows,
           std::make_index_sequence<size_t(K)>(),
           std::make_index_sequence<size_t(Results::count)>());
  }

private:
  template <class P, size_t... I, size_t... J>
  NEML2_CALLS_FORMULA static void run(double * const * data,
                                      const int64_t * stride,
                                      int64_t rows,
                                      std::index_sequence<I...>,
                                      std::index_sequence<J...>)
  {
    double * p[all];
    for (int k = 0; k < all; k++)
      p[k] = data[k];
    P x[Arguments::total > 0 ? Arguments::total : 1], s[Formula::shared > 0 ? Formula::shared : 1];
    P total[sums ? Results::total : 1];
    if constexpr (sums)
      for (int i = 0; i < Results::total; i++)
        total[i] = P(0.0);
    for (int i = 0; i < Arguments::total; i++)
      x[i] = P(0.0); // avoids warnings: `once` does not use components that are loaded later
    ((stride[I] == 0 ? packs::load_shared<Arguments::size[I]>(x + Arguments::before(I), p[I])
                     : void()),
     ...);
    Formula::once(x, s);
    for (int64_t left = rows; left > 0; left -= P::width)
    {
      ((stride[I] != 0
            ? packs::load<Arguments::size[I]>(x + Arguments::before(I), stride[I], p[I], left)
            : void()),
       ...);
      P y[Results::total];
      Formula::each(x, s, y);
      (finish<Results::size[J]>(y + Results::before(J),
                                total + (sums ? Results::before(J) : 0),
                                stride[K + int(J)],
                                p[K + int(J)],
                                left),
       ...);
      for (int k = 0; k < all; k++)
        p[k] += stride[k] * P::width;
    }
    if constexpr (sums)
      (write_sum<Results::size[J]>(
           total + Results::before(J), stride[K + int(J)], data[K + int(J)]),
       ...);
  }

  template <int N, class P>
  NEML2_INLINE static void
  finish(const P * y, [[maybe_unused]] P * total, int64_t stride, double * first, int64_t rows)
  {
    if constexpr (sums)
      if (stride == 0)
      {
        P used;
        for (int w = 0; w < P::width; w++)
          used.lane(w, w < rows ? 1.0 : 0.0);
        for (int i = 0; i < N; i++)
          total[i] = total[i] + where(used > 0.0, y[i], P(0.0));
        return;
      }
    packs::store<N>(y, stride, first, rows);
  }
  template <int N, class P>
  NEML2_INLINE static void write_sum(const P * total, int64_t stride, double * first)
  {
    for (int i = 0; stride == 0 && i < N; i++)
    {
      double s = 0;
      for (int w = 0; w < P::width; w++)
        s += total[i].lane(w);
      first[i] = s;
    }
  }
};

/// Returns the loop for this machine in `run`, or null if there is none. If NEML2_WIDTH is defined, only the loop for packs of that many
/// rows is compiled, which takes less time.
template <class Formula, bool sums, class Arguments, class Results>
void
give_tile_loop(void ** run, int * width)
{
  using Tile = CompiledTile<Formula, sums, Arguments, Results>;
#if defined(NEML2_SIMD) && defined(NEML2_WIDTH)
  packs::TileLoop loop{nullptr, NEML2_WIDTH};
  if constexpr (NEML2_WIDTH == 8)
    loop.run = packs::run_avx512<Tile>;
  else
    loop.run = packs::run_avx2<Tile>;
#else
  const packs::TileLoop loop = packs::tile_loop<Tile>();
#endif
  *run = reinterpret_cast<void *>(loop.run);
  *width = loop.width;
}
} // namespace neml2::recorded
