// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/packs/instruction_set.h"
#include "neml2/packs/rows.h"

/// The work on one tile, which is a series of rows (tensors of a batch): load a block of rows into packs, evaluate the formula, store the
/// results.
namespace neml2::packs
{
/// Evaluates a formula for consecutive rows. data has the address of each operand's first row, and stride
/// the distance between its rows.
using TileLoop = Compiled<const void * /*formula*/,
                          double * const * /*data*/,
                          const int64_t * /*stride*/,
                          int64_t /*rows*/>;

template <class Tile>
TileLoop
tile_loop()
{
  return compiled<Tile, const void *, double * const *, const int64_t *, int64_t>();
}

/// Stores the result of a formula. Its numbers are packs, or plain numbers if the formula does not use its
/// arguments.
template <int N, class P, class R>
NEML2_INLINE void
store_result(const R & row, int64_t stride, double * first, int64_t rows)
{
  if constexpr (std::is_same_v<std::decay_t<decltype(*components(row))>, P>)
    store<N>(components(row), stride, first, rows);
  else
  {
    P x[N];
    NEML2_UNROLL
    for (int k = 0; k < N; k++)
      x[k] = P(double(components(row)[k]));
    store<N>(x, stride, first, rows);
  }
}

template <class F, class Results, class Arguments>
struct ForwardTile;

/// The tile of a formula: for each block it loads the rows of each argument, one row per lane, evaluates the formula, and
/// stores each result. The operands are the arguments, then the results; the formula returns a row,
/// or a tuple of rows.
template <class F, class... R, class... A>
struct ForwardTile<F, Types<R...>, Types<A...>>
{
  static constexpr int numbers = (component_count<A> + ... + (component_count<R> + ... + 0));
  static constexpr bool may_join_products = true;
  static constexpr bool is_wide = gains_from_avx512<F, A...>;
  static constexpr bool is_numbers =
      sizeof...(R) == 1 && ((component_count<R> == 1) && ...) && ((component_count<A> == 1) && ...);

  template <class P>
  NEML2_CALLS_FORMULA static void
  run(const void * formula, double * const * data, const int64_t * stride, int64_t rows)
  {
    run<P>(*static_cast<const F *>(formula), data, stride, rows, std::index_sequence_for<A...>());
  }

private:
  static constexpr int K = sizeof...(A), all = K + int(sizeof...(R));

  /// Whether an argument has large rows. The next block is then loaded after the formula has been evaluated: gcc 12 then knows that a large
  /// row that all blocks share is constant, which makes C : e 1.5 times as fast. With small rows this order is slower.
  static constexpr bool has_large_rows = ((component_count<A> >= large_row) || ...);

  template <class P, size_t... I>
  NEML2_CALLS_FORMULA static void run(const F & formula,
                                      double * const * data,
                                      const int64_t * stride,
                                      int64_t rows,
                                      std::index_sequence<I...>)
  {
    double * p[all];
    for (int k = 0; k < all; k++)
      p[k] = data[k];
    RowSlots<std::index_sequence_for<A...>, row_t<A, P>...> row;
    int64_t left = rows;
    if constexpr (has_large_rows)
    {
      (load_either<component_count<A>>(components(row_of<I>(row)), stride[I], p[I], left), ...);
      for (;;)
      {
        store_results<P>(formula(static_cast<const row_t<A, P> &>(row_of<I>(row))...),
                         stride,
                         p,
                         left,
                         std::index_sequence_for<R...>());
        left -= P::width;
        if (left <= 0)
          return;
        for (int k = 0; k < all; k++)
          p[k] += stride[k] * P::width;
        ((stride[I] != 0 || component_count<A> < large_row
              ? load_either<component_count<A>>(components(row_of<I>(row)), stride[I], p[I], left)
              : void()),
         ...);
      }
    }
    // A row that all blocks of the tile share is loaded once.
    ((stride[I] == 0 ? load_shared<component_count<A>>(components(row_of<I>(row)), p[I]) : void()),
     ...);
    if constexpr (is_numbers)
      if (side_by_side(stride)) // no transposing
      {
        const int64_t whole = left / P::width * P::width;
        for (int64_t i = 0; i < whole; i += P::width)
          P(result_of<0>(formula((stride[I] != 0 ? P::load(p[I] + i) : row_of<I>(row))...)))
              .store(p[K] + i);
        left -= whole;
        for (int k = 0; k < all; k++)
          p[k] += whole * stride[k];
      }
    for (; left > 0; left -= P::width)
    {
      ((stride[I] != 0 ? load<component_count<A>>(components(row_of<I>(row)), stride[I], p[I], left)
                       : void()),
       ...);
      store_results<P>(formula(static_cast<const row_t<A, P> &>(row_of<I>(row))...),
                       stride,
                       p,
                       left,
                       std::index_sequence_for<R...>());
      for (int k = 0; k < all; k++)
        p[k] += stride[k] * P::width;
    }
  }

  static bool side_by_side(const int64_t * stride)
  {
    bool yes = stride[K] == 1;
    for (int k = 0; k < K; k++)
      yes = yes && (stride[k] == 1 || stride[k] == 0);
    return yes;
  }

  template <class P, class Rows, size_t... J>
  NEML2_INLINE static void store_results(const Rows & r,
                                         const int64_t * stride,
                                         double * const * p,
                                         int64_t left,
                                         std::index_sequence<J...>)
  {
    (store_result<component_count<R>, P>(result_of<J>(r), stride[K + int(J)], p[K + int(J)], left),
     ...);
  }
};

/// The tile of a caller's formula, in which products are rounded before they are added.
template <class F, class Results, class Arguments>
struct FormulaTile : ForwardTile<F, Results, Arguments>
{
  static constexpr bool may_join_products = false;
  static constexpr bool is_wide = true;
};
} // namespace neml2::packs
