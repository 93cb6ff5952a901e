// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/plan.h"
#include "neml2/kernels/Components.h"

#include <tuple>
#include <type_traits>

/// What happens to one tile of rows: load a block of them, evaluate the formula, store.
namespace neml2::core
{
/// Loads the same row into all lanes.
template <int N, class P>
NEML2_INLINE void
load_shared(P * x, const double * row)
{
  NEML2_UNROLL
  for (int k = 0; k < N; k++)
    x[k] = P(row[k]);
}

/// Loads a row a lane into x[0..N).
template <int N, class P>
NEML2_INLINE void
load(P * x, Size stride, double * first, Size rows)
{
  if (N == 1 && stride == 1 && rows >= P::width)
    *x = P::load(first);
  else
    load_rows<N>(x, Lanes<P>(first, stride, rows));
}

/// Loads a row a lane, or one row for all lanes where the stride is 0.
template <int N, class P>
NEML2_INLINE void
load_either(P * x, Size stride, double * first, Size rows)
{
  if (stride == 0)
    load_shared<N>(x, first);
  else
    load<N>(x, stride, first, rows);
}

/// Stores the row of each lane; lanes past the end are dropped.
template <int N, class P>
NEML2_INLINE void
store(const P * x, Size stride, double * first, Size rows)
{
  if (N == 1 && stride == 1 && rows >= P::width)
  {
    x->store(first);
    return;
  }
  Lanes<P> lanes(first, stride, rows);
  double spare[N];
  NEML2_UNROLL
  for (int w = 0; w < P::width; w++)
    if (w >= rows)
      lanes.row[w] = spare;
  store_rows<N>(x, lanes);
}

constexpr int large_row = 36; ///< components from which on a row does not fit in registers

/// Every component a row of its own: what an operation that treats all components alike runs on, and
/// what a plain number is.
struct Number
{
  template <class T>
  using Row = T;
  static constexpr Size const_base_numel = 1;
  static constexpr std::array<Size, 0> base_shape = {};
};

/// An argument as tiles see it: a tensor type, or Number for a plain number.
template <class A>
using argument_t = std::conditional_t<std::is_arithmetic_v<A>, Number, A>;

/// Number of components of a row.
template <class A>
constexpr int component_count = int(argument_t<A>::const_base_numel);

/// Row of an argument for packs P.
template <class A, class P>
using row_t = typename argument_t<A>::template Row<P>;

/// A row whose components are not set yet.
template <class A, class T>
NEML2_INLINE row_t<A, T>
unset_row()
{
  if constexpr (kernels::is_row<row_t<A, T>>::value)
    return row_t<A, T>(kernels::Unset());
  else
    return row_t<A, T>();
}

/// First component of a row: a scalar's row is the component itself.
template <class R>
NEML2_INLINE auto *
components(R & row)
{
  if constexpr (kernels::is_row<std::remove_const_t<R>>::value)
    return row.v;
  else
    return &row;
}

/// A list of types.
template <class... T>
struct Types
{
  static constexpr int count = sizeof...(T);
};

/// The rows of all arguments: a tuple that costs little to compile.
template <size_t I, class Row>
struct RowSlot
{
  Row row;

  NEML2_INLINE RowSlot()
    : row(zero()) {} // what is not loaded is not used; the compiler cannot know

private:
  NEML2_INLINE static Row zero()
  {
    if constexpr (kernels::is_row<Row>::value)
      return Row();
    else
      return Row(0.0);
  }
};
template <class Indices, class... Rows>
struct RowSlots;
template <size_t... I, class... Rows>
struct RowSlots<std::index_sequence<I...>, Rows...> : RowSlot<I, Rows>...
{
};
template <size_t I, class Row>
NEML2_INLINE Row &
row_of(RowSlot<I, Row> & slot)
{
  return slot.row;
}

template <class R>
constexpr bool is_tuple = false;
template <class... R>
constexpr bool is_tuple<std::tuple<R...>> = true;

/// Result J of a formula that returns a row, or a tuple of rows.
template <size_t J, class R>
NEML2_INLINE const auto &
result_of(const R & r)
{
  if constexpr (is_tuple<R>)
    return std::get<J>(r);
  else
    return r;
}

/// The packs of a row, also of one whose formula forgot its arguments and returned plain numbers.
template <int N, class P, class R>
NEML2_INLINE void
store_result(const R & row, Size stride, double * first, Size rows)
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

/// The tile of a formula: for each block loads a row of each argument, evaluates, stores each result.
/// Operands are the arguments, then the results; the formula returns a row, or a tuple of rows.
template <class F, class... R, class... A>
struct ForwardTile<F, Types<R...>, Types<A...>>
{
  static constexpr int numbers = (component_count<A> + ... + (component_count<R> + ... + 0));
  static constexpr int baseline_width = 2;

  template <class P>
  NEML2_INLINE static void
  run(const void * formula, double * const * data, const Size * stride, Size rows)
  {
    run<P>(*static_cast<const F *>(formula), data, stride, rows, std::index_sequence_for<A...>());
  }

private:
  static constexpr int K = sizeof...(A), all = K + int(sizeof...(R));
  static constexpr bool is_numbers =
      sizeof...(R) == 1 && ((component_count<R> == 1) && ...) && ((component_count<A> == 1) && ...);

  /// Loading the next block after the formula makes C : e half as fast again (gcc 12), because the
  /// large row it shares is then plainly constant; with small rows it is the other way round.
  static constexpr bool has_large_rows = ((component_count<A> >= large_row) || ...);

  template <class P, size_t... I>
  NEML2_CALLS_FORMULA static void run(const F & formula,
                                      double * const * data,
                                      const Size * stride,
                                      Size rows,
                                      std::index_sequence<I...>)
  {
    double * p[all];
    for (int k = 0; k < all; k++)
      p[k] = data[k];
    RowSlots<std::index_sequence_for<A...>, row_t<A, P>...> row;
    Size left = rows;
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
        const Size whole = left / P::width * P::width;
        for (Size i = 0; i < whole; i += P::width)
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

  static bool side_by_side(const Size * stride)
  {
    bool yes = stride[K] == 1;
    for (int k = 0; k < K; k++)
      yes = yes && (stride[k] == 1 || stride[k] == 0);
    return yes;
  }

  template <class P, class Rows, size_t... J>
  NEML2_INLINE static void store_results(
      const Rows & r, const Size * stride, double * const * p, Size left, std::index_sequence<J...>)
  {
    (store_result<component_count<R>, P>(result_of<J>(r), stride[K + int(J)], p[K + int(J)], left),
     ...);
  }
};
} // namespace neml2::core
