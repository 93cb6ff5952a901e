// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/driver.h"
#include "neml2/kernels/Components.h"

#include <tuple>
#include <type_traits>

/// What happens to one tile of rows: load a block of them, evaluate the
/// formula, store.
namespace neml2::core
{
/// Copies rows whose components are strided to a buffer of adjacent ones.
template <class E>
NEML2_COLD void
gather_rows(E * buffer, E * const * row, int rows, const Size * offset, int components)
{
  for (int w = 0; w < rows; w++)
    for (int k = 0; k < components; k++)
      buffer[w * components + k] = row[w][offset[k]];
}

/// Loads the same row into all lanes.
template <int N, class P>
NEML2_INLINE void
load_shared(P * x, const Size * offset, char * data)
{
  const auto * first = reinterpret_cast<typename P::Element *>(data);
  NEML2_UNROLL
  for (int k = 0; k < N; k++)
    x[k] = P(first[offset ? offset[k] : k]);
}

/// Loads a row a lane into x[0..N), from memory adjacent or strided.
template <int N, class P>
NEML2_INLINE void
load(P * x, const Size * offset, Size stride, char * data, Size rows)
{
  using E = typename P::Element;
  E * const first = reinterpret_cast<E *>(data);
  if (N == 1 && stride == 1 && rows >= P::width)
  {
    *x = P::load(first);
    return;
  }
  Lanes<P> lanes(first, stride, rows);
  if constexpr (N > 1)
  {
    E buffer[N * P::width];
    if (offset)
    {
      gather_rows(buffer, lanes.row, P::width, offset, N);
      NEML2_UNROLL
      for (int w = 0; w < P::width; w++)
        lanes.row[w] = buffer + w * N;
    }
    load_rows<N>(x, lanes);
  }
  else
    load_rows<N>(x, lanes);
}

/// Stores the row of each lane, components adjacent; lanes past the end are
/// dropped.
template <int N, class P>
NEML2_INLINE void
store(const P * x, Size stride, char * data, Size rows)
{
  using E = typename P::Element;
  E * const first = reinterpret_cast<E *>(data);
  if (N == 1 && stride == 1 && rows >= P::width)
  {
    x->store(first);
    return;
  }
  Lanes<P> lanes(first, stride, rows);
  E spare[N];
  NEML2_UNROLL
  for (int w = 0; w < P::width; w++)
    if (w >= rows)
      lanes.row[w] = spare;
  store_rows<N>(x, lanes);
}
/// Loads a row a lane, or one row for all lanes where the stride is 0.
template <int N, class P>
NEML2_INLINE void
load_either(P * x, const Size * offset, Size stride, char * data, Size rows)
{
  if (stride == 0)
    load_shared<N>(x, offset, data);
  else
    load<N>(x, offset, stride, data, rows);
}

constexpr int large_row = 36; ///< components from which on a row does not fit in registers

/// Number of components of a row.
template <class A>
constexpr int component_count = int(A::const_base_numel);

/// Row of type A for packs P.
template <class A, class P>
using row_t = typename A::template Row<P>;

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

/// Every component a row of its own: what an operation that treats all
/// components alike runs on, and what a plain number is.
struct Number
{
  template <class T>
  using Row = T;
  static constexpr Size const_base_numel = 1;
  static constexpr std::array<Size, 0> base_shape = {};
};

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

template <class F, class Results, class Arguments>
struct ForwardTile;

/// The tile of a formula: for each block loads a row of each argument,
/// evaluates, stores each result. Operands are the arguments, then the results;
/// the formula returns a row, or a tuple of rows.
template <class F, class... R, class... A>
struct ForwardTile<F, Types<R...>, Types<A...>>
{
  template <class P>
  NEML2_INLINE static void
  run(const void * formula, const Plan & plan, char * const * data, Size rows)
  {
    run<P>(*static_cast<const F *>(formula), plan, data, rows, std::index_sequence_for<A...>());
  }

private:
  static constexpr int K = sizeof...(A), all = K + int(sizeof...(R));
  static constexpr bool is_numbers =
      sizeof...(R) == 1 && ((component_count<R> == 1) && ...) && ((component_count<A> == 1) && ...);

  /// Loading the next block after the formula makes C : e half as fast again (gcc 12), because the
  /// large row it shares is then plainly constant; with small rows it is the other way round.
  static constexpr bool has_large_rows = ((component_count<A> >= large_row) || ...);

  template <class P, size_t... I>
  NEML2_INLINE static void run(const F & formula,
                               const Plan & plan,
                               char * const * data,
                               Size rows,
                               std::index_sequence<I...>)
  {
    char * p[all];
    Size stride[all];
    for (int k = 0; k < all; k++)
    {
      p[k] = data[k];
      stride[k] = plan.operand[k].stride[plan.lane_dim];
    }
    RowSlots<std::index_sequence_for<A...>, row_t<A, P>...> row;
    Size left = rows;
    if constexpr (has_large_rows)
    {
      (load_either<component_count<A>>(
           components(row_of<I>(row)), plan.operand[I].offset, stride[I], p[I], left),
       ...);
      for (;;)
      {
        store_results(formula(static_cast<const row_t<A, P> &>(row_of<I>(row))...),
                      stride,
                      p,
                      left,
                      std::index_sequence_for<R...>());
        left -= P::width;
        if (left <= 0)
          return;
        for (int k = 0; k < all; k++)
          p[k] += stride[k] * Size(sizeof(P));
        ((stride[I] != 0 || component_count<A> < large_row
              ? load_either<component_count<A>>(
                    components(row_of<I>(row)), plan.operand[I].offset, stride[I], p[I], left)
              : void()),
         ...);
      }
    }
    // A row that all blocks of the tile share is loaded once.
    ((stride[I] == 0 ? load_shared<component_count<A>>(
                           components(row_of<I>(row)), plan.operand[I].offset, p[I])
                     : void()),
     ...);
    if constexpr (is_numbers)
      if (side_by_side(stride)) // no transposing
      {
        using E = typename P::Element;
        const Size whole = left / P::width * P::width;
        for (Size i = 0; i < whole; i += P::width)
          formula(
              (stride[I] != 0 ? P::load(reinterpret_cast<const E *>(p[I]) + i) : row_of<I>(row))...)
              .store(reinterpret_cast<E *>(p[K]) + i);
        left -= whole;
        for (int k = 0; k < all; k++)
          p[k] += whole * stride[k] * Size(sizeof(E));
      }
    for (; left > 0; left -= P::width)
    {
      ((stride[I] != 0
            ? load<component_count<A>>(
                  components(row_of<I>(row)), plan.operand[I].offset, stride[I], p[I], left)
            : void()),
       ...);
      store_results(formula(static_cast<const row_t<A, P> &>(row_of<I>(row))...),
                    stride,
                    p,
                    left,
                    std::index_sequence_for<R...>());
      for (int k = 0; k < all; k++)
        p[k] += stride[k] * Size(sizeof(P));
    }
  }

  static bool side_by_side(const Size * stride)
  {
    bool yes = stride[K] == 1;
    for (int k = 0; k < K; k++)
      yes = yes && (stride[k] == 1 || stride[k] == 0);
    return yes;
  }

  template <class Row, size_t... J>
  NEML2_INLINE static void store_results(
      const Row & r, const Size * stride, char * const * p, Size left, std::index_sequence<J...>)
  {
    if constexpr (sizeof...(R) == 1)
      (store<component_count<R>>(components(r), stride[K + J], p[K + J], left), ...);
    else
      (store<component_count<R>>(components(std::get<J>(r)), stride[K + J], p[K + J], left), ...);
  }
};
} // namespace neml2::core
