// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/interpolants.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <string>

namespace neml2
{
/**
 * Tables: values between given points, and outside their range.
 *
 * A table is a std::array of numbers, or a tensor of a formula (a row) of numbers, packs or duals. The interval of x is found by
 * comparing x with all abscissae. The arithmetic uses only points around x, so the values of far points do not matter.
 */
namespace kernels
{
/// The number of entries of a table; 0 if it is not a table.
template <class T, class = void>
constexpr int table_size = 0;
template <class N, size_t n>
constexpr int table_size<std::array<N, n>, std::enable_if_t<std::is_arithmetic_v<N>>> = int(n);
template <class R>
constexpr int table_size<R, std::enable_if_t<is_row<R>::value>> = R::n;

template <class T>
constexpr bool is_table = table_size<T> > 0;
template <class T>
using entry_t = std::decay_t<decltype(std::declval<const T &>()[0])>;

/// Whether a T is a table of constants.
template <class T>
constexpr bool is_constant_table = false;
template <class N, size_t n>
constexpr bool is_constant_table<std::array<N, n>> = true;

/// The number of entries of a table, from its type.
template <class Table>
NEML2_INLINE constexpr int
entry_count(const Table &)
{
  return table_size<Table>;
}

template <class X>
constexpr bool is_abscissa = std::is_arithmetic_v<X> || std::is_base_of_v<Component<X>, X>;

/// Enables an overload for a table of one abscissa, or of two.
template <class X, class Xs, class Ys>
using if_table = std::enable_if_t<is_abscissa<X> && is_table<Xs> && is_table<Ys>, int>;
template <class X, class Y, class Xs, class Ys, class Values>
using if_table_of_two = std::enable_if_t<is_abscissa<X> && is_abscissa<Y> && is_table<Xs> &&
                                             is_table<Ys> && is_table<Values>,
                                         int>;

/// The number type or pack type, without derivatives, to which numbers of all these types convert.
template <class... T>
struct common_number
{
  using type = double;
};
template <class First, class... T>
struct common_number<First, T...>
{
  using rest = typename common_number<T...>::type;
  using own = typename innermost_number<First>::type;
  using type = sum_t<std::conditional_t<std::is_arithmetic_v<own>, double, own>, rest>;
};

/// A plain number as a P, so that it can be compared with others and be an operand of where(). Duals and packs stay as they
/// are.
template <class P, class T>
NEML2_INLINE constexpr auto
as_component(const T & x)
{
  if constexpr (std::is_arithmetic_v<T>)
    return P(double(x));
  else
    return x;
}

// ---- The interval that contains x, for tables in formulas. ----

/// i + offset, the index of a point; if that is beyond an end, the index of the third point from that end.
NEML2_INLINE constexpr int
neighbour(int i, int offset, int n)
{
  return i + offset < 0 ? 2 : i + offset < n ? i + offset : n - 3;
}

/// One column of a table, with one number per point: the entries from entry `start` on, `stride` apart.
template <class Table>
struct Column
{
  const Table & table;
  int stride, start;
};

/// The entry for interval i if x is at or after the first point of the interval, otherwise r.
template <class P, class R, class X, class Xs, class Table>
NEML2_INLINE constexpr R
entry_from(int i, const R & r, const X & x, const Xs & xs, const Column<Table> & column, int offset)
{
  const int n = entry_count(xs);
  const int k = column.start + column.stride * neighbour(i, offset, n);
  return where(x >= as_component<P>(xs[i]), as_component<P>(column.table[k]), r);
}

/// The entry of the point that is `offset` after the first point of the interval of x; for x outside the range, the
/// first or the last interval is used. P is a number or a pack.
template <class P, class X, class Xs, class Table>
NEML2_INLINE constexpr auto
entry_at(const X & x, const Xs & xs, const Column<Table> & column, int offset)
{
  const int n = entry_count(xs);
  auto r = as_component<P>(column.table[column.start + column.stride * neighbour(0, offset, n)]);
  if constexpr (table_size<Xs> <= 32)
  {
    NEML2_UNROLL
    for (int i = 1; i < n - 1; i++)
      r = entry_from<P>(i, r, x, xs, column, offset);
  }
  else
  {
    NEML2_KEEP_LOOP
    for (int i = 1; i < n - 1; i++)
      r = entry_from<P>(i, r, x, xs, column, offset);
  }
  return r;
}

template <class P, class X, class Xs, class Ys>
NEML2_INLINE constexpr auto
knot_at(const X & x, const Xs & xs, const Ys & ys, int offset)
{
  return Knot{entry_at<P>(x, xs, Column<Xs>{xs, 1, 0}, offset),
              entry_at<P>(x, xs, Column<Ys>{ys, 1, 0}, offset)};
}

// ---- Invalid abscissae. ----

/// A description of the error in the abscissae of a table.
#ifndef NEML2_ON_DEVICE
inline std::string
abscissae_message(int64_t entry, double before, double after)
{
  char text[256];
  std::snprintf(
      text,
      sizeof text,
      "the abscissae of a table must be finite and increase strictly, but entry %lld is %.17g "
      "after %.17g. Sort the points, and leave out repeated points.",
      static_cast<long long>(entry),
      after,
      before);
  return text;
}
#endif

/// Whether two adjacent abscissae are finite and the second one is larger.
constexpr bool
in_order(double before, double after)
{
  const double inf = std::numeric_limits<double>::infinity();
  return -inf < before && before < after && after < inf;
}

template <class N, size_t n>
[[noreturn]] NEML2_COLD void
refuse_abscissae(const std::array<N, n> & xs)
{
  size_t i = 1;
  while (i + 1 < n && in_order(double(xs[i - 1]), double(xs[i])))
    i++;
  NEML2_THROW(std::invalid_argument(
      "interpolate: " + abscissae_message(int64_t(i), double(xs[i - 1]), double(xs[i]))));
}

/// Refuses constants that are not valid abscissae. Rows are not refused: they are arguments of a formula, and one
/// invalid row must not end the whole call.
/// @throws std::invalid_argument
template <class Xs>
NEML2_INLINE constexpr void
check_abscissae([[maybe_unused]] const Xs & xs)
{
  if constexpr (is_constant_table<Xs>)
  {
    bool ok = true;
    NEML2_UNROLL // so that checks of constants cost nothing at run time
        for (int i = 1; i < table_size<Xs>; i++) ok =
            ok && in_order(double(xs[size_t(i) - 1]), double(xs[size_t(i)]));
    if (!ok)
      refuse_abscissae(xs);
  }
}

/// y where the condition holds, otherwise NaN; the derivatives are then NaN as well.
template <class P, class C, class Y>
NEML2_INLINE constexpr auto
or_nan(const C & condition, const Y & y)
{
  return y * where(condition, P(1.0), P(std::numeric_limits<double>::quiet_NaN()));
}

/// y where the abscissae of a row are finite and increase strictly, otherwise NaN. Constants have been checked before.
template <class P, class Xs, class Y>
NEML2_INLINE constexpr Y
where_in_order([[maybe_unused]] const Xs & xs, const Y & y)
{
  if constexpr (!is_constant_table<Xs>)
  {
    const int n = entry_count(xs);
    const double inf = std::numeric_limits<double>::infinity();
    auto ok = value(xs[0]) > -inf && value(xs[n - 1]) < inf;
    NEML2_UNROLL
    for (int i = 1; i < n; i++)
      ok = ok && value(xs[i - 1]) < value(xs[i]);
    return or_nan<P>(ok, y);
  }
  else
    return y;
}

/// The first and the last abscissa.
template <class P, class Xs>
NEML2_INLINE constexpr auto
first_of(const Xs & xs)
{
  return as_component<P>(xs[0]);
}
template <class P, class Xs>
NEML2_INLINE constexpr auto
last_of(const Xs & xs)
{
  return as_component<P>(xs[entry_count(xs) - 1]);
}

template <class P, class X, class Xs>
NEML2_INLINE constexpr auto
held_by(const X & x, const Xs & xs)
{
  return held_between(x, first_of<P>(xs), last_of<P>(xs), Where());
}

/// y, or NaN outside the range if `beyond` requests it. The derivatives of this NaN are 0: otherwise the gradient with
/// respect to a table that several points share would be NaN.
template <class P, class X, class Xs, class Y>
NEML2_INLINE constexpr Y
where_within(const X & x, const Xs & xs, Beyond beyond, const Y & y)
{
  if (beyond != Beyond::nan)
    return y;
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  return where(x >= first_of<P>(xs) && x <= last_of<P>(xs), y, Y(nan));
}

/// x, clamped to the range unless the table is extrapolated.
template <class P, class X, class Xs>
NEML2_INLINE constexpr auto
held_unless_extrapolated(const X & x, const Xs & xs, Beyond beyond)
{
  const auto held = held_by<P>(x, xs);
  return beyond == Beyond::extrapolate ? std::decay_t<decltype(held)>(x) : held;
}

template <class P, class X, class Xs, class Ys>
NEML2_INLINE constexpr auto
interpolate_linear(const X & x, const Xs & xs, const Ys & ys, Beyond beyond)
{
  const auto a = knot_at<P>(x, xs, ys, 0), b = knot_at<P>(x, xs, ys, 1);
  return on_line(held_unless_extrapolated<P>(x, xs, beyond), a.x, b.x, a.y, b.y, Where());
}

template <class P, class X, class Xs, class Ys>
NEML2_INLINE constexpr auto
interpolate_cubic(const X & x, const Xs & xs, const Ys & ys, Beyond beyond)
{
  const int n = entry_count(xs);
  return on_cubic(x,
                  held_by<P>(x, xs),
                  knot_at<P>(x, xs, ys, -1),
                  knot_at<P>(x, xs, ys, 0),
                  knot_at<P>(x, xs, ys, 1),
                  knot_at<P>(x, xs, ys, 2),
                  x < as_component<P>(xs[1]),
                  x >= as_component<P>(xs[n - 2]),
                  beyond,
                  Where());
}

/// A table with as many entries as ys, and with the type of the entries of `values`.
template <class P, class Ys, class Values>
NEML2_INLINE constexpr auto
columns_of(const Ys &, const Values &)
{
  return Components<decltype(as_component<P>(std::declval<const entry_t<Values> &>())),
                    table_size<Ys>>{Unset()};
}

/// The values, in each column, of the two points that bound the interval of x.
template <class P, class X, class Xs, class Values, class Columns>
NEML2_INLINE constexpr void
take_columns(const X & x, const Xs & xs, const Values & values, Columns & at_a, Columns & at_b)
{
  const int m = entry_count(at_a);
  NEML2_UNROLL
  for (int j = 0; j < m; j++)
  {
    at_a[j] = entry_at<P>(x, xs, Column<Values>{values, m, j}, 0);
    at_b[j] = entry_at<P>(x, xs, Column<Values>{values, m, j}, 1);
  }
}

template <class P, class X, class Y, class Xs, class Ys, class Values>
NEML2_INLINE constexpr auto
interpolate_bilinear(
    const X & x, const Y & y, const Xs & xs, const Ys & ys, const Values & values, Beyond beyond)
{
  auto at_a = columns_of<P>(ys, values), at_b = columns_of<P>(ys, values);
  take_columns<P>(x, xs, values, at_a, at_b);
  const auto a = knot_at<P>(x, xs, xs, 0), b = knot_at<P>(x, xs, xs, 1);
  const auto on_a = knot_at<P>(y, ys, at_a, 0), on_a_after = knot_at<P>(y, ys, at_a, 1),
             on_b = knot_at<P>(y, ys, at_b, 0), on_b_after = knot_at<P>(y, ys, at_b, 1);
  const auto held = held_unless_extrapolated<P>(x, xs, beyond);
  return on_line(held_unless_extrapolated<P>(y, ys, beyond),
                 on_a.x,
                 on_a_after.x,
                 on_line(held, a.x, b.x, on_a.y, on_b.y, Where()),
                 on_line(held, a.x, b.x, on_a_after.y, on_b_after.y, Where()),
                 Where());
}

/// For operands and tables of these types of numbers: the type of the result, and P, the number or pack without derivatives.
template <class... T>
struct TableTypes
{
  using P = typename common_number<T...>::type;
  template <class X>
  using component_t = decltype(as_component<P>(std::declval<const X &>()));
  using Result = std::decay_t<decltype((std::declval<component_t<T>>() + ...))>;
};

/**
 * The value at x of a table of n points (xs_i, ys_i); xs and ys are each a row of n numbers, or a std::array of
 * constants.
 *
 * At a point of a linear table the derivative is the slope of the next interval; at the last point it is the slope of
 * the last interval. The result is NaN if x is NaN, or if xs is a row whose numbers are not finite and increasing.
 * @throws std::invalid_argument if xs are constants that are not finite and increasing.
 */
template <class X, class Xs, class Ys, if_table<X, Xs, Ys> = 0>
NEML2_INLINE constexpr auto
interpolate(const X & x,
            const Xs & xs,
            const Ys & ys,
            Interpolant interpolant = Interpolant::linear,
            Beyond beyond = Beyond::constant)
{
  constexpr int n = table_size<Xs>;
  static_assert(n == table_size<Ys>,
                "interpolate: a table must have as many ordinates as abscissae");
  static_assert(n >= 2, "interpolate: a table must have at least two points");
  using Types = TableTypes<X, entry_t<Xs>, entry_t<Ys>>;
  using P = typename Types::P;
  using Y = typename Types::Result;
  check_abscissae(xs);
  const auto z = as_component<P>(x);
  if constexpr (n > 2) // for n = 2 the cubic is a line
    if (interpolant == Interpolant::monotone_cubic)
      return where_in_order<P>(
          xs, where_within<P>(z, xs, beyond, Y(interpolate_cubic<P>(z, xs, ys, beyond))));
  return where_in_order<P>(
      xs, where_within<P>(z, xs, beyond, Y(interpolate_linear<P>(z, xs, ys, beyond))));
}
template <class X, class Xs, class Ys, if_table<X, Xs, Ys> = 0>
NEML2_INLINE constexpr auto
interpolate(const X & x, const Xs & xs, const Ys & ys, Beyond beyond)
{
  return interpolate(x, xs, ys, Interpolant::linear, beyond);
}

/**
 * The value at (x, y) of a table of n abscissae xs, m abscissae ys and n × m values, where the values that belong to
 * the same x are adjacent. The interpolation is bilinear: linear in x and in y.
 *
 * Points, ends and invalid tables are treated as for tables of one abscissa.
 * @throws std::invalid_argument if constants are not valid abscissae.
 */
template <class X,
          class Y,
          class Xs,
          class Ys,
          class Values,
          if_table_of_two<X, Y, Xs, Ys, Values> = 0>
NEML2_INLINE constexpr auto
interpolate(const X & x,
            const Y & y,
            const Xs & xs,
            const Ys & ys,
            const Values & values,
            Beyond beyond = Beyond::constant)
{
  constexpr int n = table_size<Xs>, m = table_size<Ys>;
  static_assert(n * m == table_size<Values>,
                "interpolate: a table of n and m abscissae must have n × m values");
  static_assert(n >= 2 && m >= 2, "interpolate: a table must have at least two points");
  using Types = TableTypes<X, Y, entry_t<Xs>, entry_t<Ys>, entry_t<Values>>;
  using P = typename Types::P;
  check_abscissae(xs);
  check_abscissae(ys);
  const auto zx = as_component<P>(x);
  const auto zy = as_component<P>(y);
  const auto v = interpolate_bilinear<P>(zx, zy, xs, ys, values, beyond);
  const auto within = where_within<P>(zy, ys, beyond, where_within<P>(zx, xs, beyond, v));
  return where_in_order<P>(ys, where_in_order<P>(xs, within));
}
} // namespace kernels
} // namespace neml2
