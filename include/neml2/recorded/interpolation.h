// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/interpolation.h"
#include "neml2/recorded/Symbol.h"

#include <vector>

/// Tables of any size in recorded formulas. The functions of kernels/ that interpolate them also interpolate tables whose size is part of
/// the type.
namespace neml2::recorded
{
struct Table
{
  std::vector<Number> numbers;
  /// Whether its numbers are constants. Constant abscissae have been checked before.
  bool is_constant = false;

  const Number & operator[](int i) const { return numbers[size_t(i)]; }
  Number & operator[](int i) { return numbers[size_t(i)]; }
};
inline int
entry_count(const Table & t)
{
  return int(t.numbers.size());
}
template <class P>
Table
columns_of(const Table & ys, const Table &)
{
  return {std::vector<Number>(ys.numbers.size())};
}

/// Returns y, or NaN if the abscissae are not constants and are not in order.
inline Number
where_known_in_order(const Table & xs, const Number & y)
{
  return xs.is_constant ? y : kernels::where_in_order<Symbol>(xs, y);
}

/// The value at x of a table of one abscissa; see kernels::interpolate.
inline Number
interpolate(
    const Number & x, const Table & xs, const Table & ys, Interpolant interpolant, Beyond beyond)
{
  const bool is_cubic = interpolant == Interpolant::monotone_cubic && entry_count(xs) > 2;
  const Number y = is_cubic ? kernels::interpolate_cubic<Symbol>(x, xs, ys, beyond)
                            : kernels::interpolate_linear<Symbol>(x, xs, ys, beyond);
  return where_known_in_order(xs, kernels::where_within<Symbol>(x, xs, beyond, y));
}

/// The value at (x, y) of a table of two abscissae, bilinear; see kernels::interpolate.
inline Number
interpolate(const Number & x,
            const Number & y,
            const Table & xs,
            const Table & ys,
            const Table & values,
            Beyond beyond)
{
  using kernels::where_within;
  const Number v = kernels::interpolate_bilinear<Symbol>(x, y, xs, ys, values, beyond);
  const Number within = where_within<Symbol>(y, ys, beyond, where_within<Symbol>(x, xs, beyond, v));
  return where_known_in_order(ys, where_known_in_order(xs, within));
}
} // namespace neml2::recorded
