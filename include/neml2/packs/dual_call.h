// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Dual.h"
#include "neml2/packs/forward_tile.h"

/// A formula on a block of rows (one row per lane of a pack), with derivatives with respect to some of its arguments. The tiles that
/// differentiate (gradient_tile.h and jacobian_tile.h) share this code.
namespace neml2::packs
{
/// How many of n derivatives are carried at once: up to 6, in as few passes as possible. Larger chunks spill registers, smaller ones
/// evaluate the formula more often.
constexpr int
partials_at_once(int n)
{
  const int passes = (n + 5) / 6;
  return n == 0 ? 1 : (n + passes - 1) / passes; // n is 0 for arguments without components
}

/// Calls a formula of arguments A on duals of packs, which carry derivatives with respect to the arguments V.
template <class F, class V, class Arguments>
struct DualCall;
template <class F, size_t... V, class... A>
struct DualCall<F, std::index_sequence<V...>, Types<A...>>
{
  /// `chunk` of the n derivatives are carried at once; `padded` is n rounded up to a multiple of `chunk`.
  static constexpr int n = (component_count<std::tuple_element_t<V, std::tuple<A...>>> + ...),
                       chunk = partials_at_once(n), padded = (n + chunk - 1) / chunk * chunk;

  /// The index of the first derivative with respect to argument I.
  template <size_t I>
  static constexpr int first_of =
      (0 + ... + (V < I ? component_count<std::tuple_element_t<V, std::tuple<A...>>> : 0));

  template <class P>
  using Rows = RowSlots<std::index_sequence_for<A...>, row_t<A, P>...>;

  /// Loads a block of rows of each argument, one row per lane.
  template <class P, size_t... I>
  NEML2_INLINE static void load(Rows<P> & rows,
                                const int64_t * stride,
                                double * const * p,
                                int64_t left,
                                std::index_sequence<I...>)
  {
    (load_either<component_count<A>>(components(row_of<I>(rows)), stride[I], p[I], left), ...);
  }

  /// Calls the formula with duals, which carry derivatives with respect to components [first, first + chunk) of the arguments V.
  template <class P, size_t... I>
  NEML2_CALLS_FORMULA static auto
  call(const F & f, Rows<P> & rows, int first, std::index_sequence<I...>)
  {
    return f(argument<P, I>(row_of<I>(rows), first)...);
  }

private:
  template <class P, size_t I, class Row>
  NEML2_INLINE static decltype(auto) argument(const Row & row, int first)
  {
    if constexpr (((I != V) && ...))
      return (row);
    else
    {
      using Active = std::tuple_element_t<I, std::tuple<A...>>;
      auto d = unset_row<Active, kernels::Dual<P, chunk>>();
      NEML2_UNROLL
      for (int k = 0; k < component_count<Active>; k++)
      {
        auto & c = components(d)[k];
        c.x = components(row)[k];
        NEML2_UNROLL
        for (int j = 0; j < chunk; j++)
          c.d[j] = P(first_of<I> + k == first + j ? 1.0 : 0.0);
      }
      return d;
    }
  }
};

/// The common part of the tiles that differentiate: it casts the formula to its own type, and calls Tile::run_rows.
template <class Tile, class F, class Results, class Arguments>
struct DualTile;
template <class Tile, class F, class... R, class... A>
struct DualTile<Tile, F, Types<R...>, Types<A...>>
{
  static constexpr bool is_numbers = false;

  template <class P>
  NEML2_CALLS_FORMULA static void
  run(const void * formula, double * const * data, const int64_t * stride, int64_t rows)
  {
    Tile::template run_rows<P>(*static_cast<const F *>(formula),
                               data,
                               stride,
                               rows,
                               std::index_sequence_for<A...>(),
                               std::index_sequence_for<R...>());
  }
};
} // namespace neml2::packs
