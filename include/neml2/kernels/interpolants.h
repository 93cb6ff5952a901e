// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Dual.h"

#include <type_traits>

namespace neml2
{
/// The curve through the points of a table.
enum class Interpolant
{
  linear,         ///< straight between two points
  monotone_cubic, ///< smooth; between two points it stays between their values
};

/// The value of a table outside its range.
enum class Beyond
{
  constant,    ///< the value at the end
  extrapolate, ///< the tangent at the end
  nan,         ///< NaN, with derivatives 0
};

/// The interpolation within one interval, for rows (tensors in formulas) and for whole batches. choose(condition, a, b) is the function
/// where() of rows or of batches.
namespace kernels
{
/// where() of the components of rows.
struct Where
{
  template <class C, class A, class B>
  NEML2_INLINE constexpr auto operator()(const C & c, const A & a, const B & b) const
  {
    return where(c, a, b);
  }
};

/// x clamped to the range [first, last]. At an end the result is x, with the derivative of x.
template <class X, class E, class Choose>
NEML2_INLINE constexpr auto
held_between(const X & x, const E & first, const E & last, const Choose & choose)
{
  return choose(x < first, first, choose(x > last, last, x));
}

/// The line through (xa, ya) and (xb, yb) at x. From xb on it is computed from (xb, yb), so that it is exact at both points.
template <class X, class A, class B, class Choose>
NEML2_INLINE constexpr auto
on_line(const X & x, const A & xa, const A & xb, const B & ya, const B & yb, const Choose & choose)
{
  const auto slope = (yb - ya) / (xb - xa);
  const auto past = x >= xb;
  return choose(past, yb, ya) + (x - choose(past, xb, xa)) * slope;
}

/// The derivative d at a point, limited so that the curve is monotone in both adjacent intervals, whose slopes are s and t. The
/// result is 0 where s and t differ in sign; otherwise it has their sign and is at most three times the smaller slope. Where d
/// equals a limit, the limit is chosen, so that the result has derivative 0 where d and the limit are both 0.
template <class T, class Choose>
NEML2_INLINE constexpr auto
limited(const T & d, const T & s, const T & t, const Choose & choose)
{
  const auto smaller = choose(s < t, s, t), larger = choose(s < t, t, s);
  const auto lower = choose(larger < 0.0, 3.0 * larger, 0.0),
             upper = choose(smaller > 0.0, 3.0 * smaller, 0.0);
  const auto raised = choose(d <= lower, lower, d);
  return choose(raised >= upper, upper, raised);
}

/// A point of a table.
template <class A, class B>
struct Knot
{
  A x;
  B y;
};
template <class A, class B>
Knot(A, B) -> Knot<A, B>;

template <class A, class B>
NEML2_INLINE constexpr auto
secant(const Knot<A, B> & p, const Knot<A, B> & q)
{
  return (q.y - p.y) / (q.x - p.x);
}

/**
 * The monotone cubic between a and b at `held`, which is x clamped to the range of the table. If the table is extrapolated,
 * the tangent at the end continues the curve.
 *
 * The derivative at a point is the slope of the parabola through the point and its neighbours; at an end of the table it is the
 * slope of the parabola through the three points at that end. The derivatives at a and at b are limited separately to the square [0, 3]²
 * of Fritsch and Carlson (1980), SIAM J. Numer. Anal. 17, 238-246, so that the curve depends on four points only: l is the point
 * before a, and r is the point after b. In the first interval, where `first` holds, l is instead the third point of the table. In the
 * last interval, where `last` holds, r is the third point from the end of the table. Divided differences do not depend on the order of points.
 */
template <class X, class Held, class A, class B, class C, class Choose>
NEML2_INLINE constexpr auto
on_cubic(const X & x,
         const Held & held,
         const Knot<A, B> & l,
         const Knot<A, B> & a,
         const Knot<A, B> & b,
         const Knot<A, B> & r,
         const C & first,
         const C & last,
         Beyond beyond,
         const Choose & choose)
{
  const auto h = b.x - a.x;
  const auto s = (b.y - a.y) / h, before = secant(l, a), after = secant(b, r);
  using Slope = std::decay_t<decltype(h * s)>;
  const Slope da(s - h * ((s - before) / (b.x - l.x))), db(s + h * ((after - s) / (r.x - a.x)));
  const auto from = limited(da, Slope(choose(first, s, before)), Slope(s), choose),
             to = limited(db, Slope(s), Slope(choose(last, s, after)), choose);
  const auto u = held - a.x, t = u / h;
  const auto inside =
      a.y + u * (from + t * ((3.0 * s - 2.0 * from - to) + t * (from + to - 2.0 * s)));
  const auto past = held >= b.x; // at the last point
  const auto y = choose(past, b.y + (held - b.x) * to, inside);
  using Y = std::decay_t<decltype(y + (x - held) * from)>;
  return beyond == Beyond::extrapolate ? Y(y + (x - held) * choose(past, to, from)) : Y(y);
}
} // namespace kernels
} // namespace neml2
