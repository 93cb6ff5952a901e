// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/packs/lanes.h"
#include "neml2/kernels/Components.h"

#include <array>
#include <tuple>
#include <type_traits>

/// Moves rows (tensors of a batch) between memory and packs. The loops over tiles load them, pass them to a formula and store the results.
namespace neml2::packs
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

/// Loads one row per lane into x[0..N).
template <int N, class P>
NEML2_INLINE void
load(P * x, int64_t stride, double * first, int64_t rows)
{
  if (N == 1 && stride == 1 && rows >= P::width)
    *x = P::load(first);
  else
    load_rows<N>(x, Lanes<P>(first, stride, rows));
}

/// Loads one row per lane, or one row for all lanes where the stride is 0.
template <int N, class P>
NEML2_INLINE void
load_either(P * x, int64_t stride, double * first, int64_t rows)
{
  if (stride == 0)
    load_shared<N>(x, first);
  else
    load<N>(x, stride, first, rows);
}

/// Stores the row of each lane; the rows of lanes past the end are dropped.
template <int N, class P>
NEML2_INLINE void
store(const P * x, int64_t stride, double * first, int64_t rows)
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

constexpr int large_row = 36; ///< rows of this many components or more do not fit in registers

/// A row of one component. In operations that treat all components alike, each component is a row of this type. In all operations, a
/// plain number is a row of this type.
struct Number
{
  template <class T>
  using Row = T;
  static constexpr int64_t const_base_numel = 1;
  static constexpr std::array<int64_t, 0> base_shape = {};
};

/// The type that tiles use for an argument: its tensor type, or Number for a plain number.
template <class A>
using argument_t = std::conditional_t<std::is_arithmetic_v<A>, Number, A>;

/// The number of components of a row.
template <class A>
constexpr int component_count = int(argument_t<A>::const_base_numel);

/// The row type of an argument, with components of type P.
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

/// The address of the first component of a row. The row of a scalar is the component itself.
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

/// The rows of all arguments: a simplified tuple, which compiles fast.
template <size_t I, class Row>
struct RowSlot
{
  Row row;

  NEML2_INLINE RowSlot() : row(zero()) {} // avoids warnings: rows that are not loaded are not used

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
} // namespace neml2::packs
