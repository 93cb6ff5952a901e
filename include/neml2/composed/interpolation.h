// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/Components.h"
#include "neml2/composed/where.h"
#include "neml2/core/modes.h"
#include "neml2/core/shape.h"
#include "neml2/kernels/interpolation.h"

/**
 * Tables of any size, interpolated by LibTorch calls. The functions find the interval of each point, gather the entries of the interval,
 * and compute with the arithmetic of kernels/interpolants.h.
 *
 * Tables have the shape (..., n), the points x the shape (...); all have the same number of batch dimensions.
 */
namespace neml2::composed
{
/// Chooses between batches by a condition. A Select is passed to the functions of kernels/interpolants.h.
struct Select
{
  template <class A, class B>
  at::Tensor operator()(const at::Tensor & c, const A & a, const B & b) const
  {
    return select(c, a, b);
  }
};

/// Whether all points share this table, and its values can be read.
inline bool
is_shared(const at::Tensor & table)
{
  return table.numel() == table.size(-1) && has_known_values(table);
}

/// The number of inner abscissae at or below x. This is the index of the interval that contains x; beyond the ends it is the index of the
/// first or last interval. (...), (..., n) -> (...) int64
inline at::Tensor
interval_of(const at::Tensor & x, const at::Tensor & xs)
{
  const Size n = xs.size(-1);
  const at::Tensor inner = xs.detach().slice(-1, 1, n - 1), at = x.detach();
  const bool has_search = x.scalar_type() == kFloat64 || x.scalar_type() == kFloat32;
  if (n > 2 && has_search && is_shared(xs) && has_known_values(x))
    return at::searchsorted(inner.reshape(-1).contiguous(), at.contiguous(), false, /*right=*/true);
  return at.unsqueeze(-1).ge(inner).sum(-1);
}

/// The entries of a table. (..., n), (...) int64 -> (...)
inline at::Tensor
entries_at(const at::Tensor & table, const at::Tensor & i)
{
  if (is_shared(table))
    return table.reshape(-1).index_select(0, i.reshape(-1)).reshape(i.sizes());
  TensorShape shape(i.sizes().begin(), i.sizes().end());
  broadcast_into(shape, table.sizes().slice(0, size_t(table.dim()) - 1));
  return table.expand(utils::add_shapes(shape, table.size(-1)))
      .gather(-1, i.expand(shape).unsqueeze(-1))
      .squeeze(-1);
}

/// Whether the abscissae are finite and increase strictly. (..., n) -> (...) bool
inline at::Tensor
are_in_order(const at::Tensor & xs)
{
  constexpr double inf = std::numeric_limits<double>::infinity();
  const at::Tensor t = xs.detach();
  const Size n = t.size(-1);
  return t.slice(-1, 0, n - 1)
      .lt(t.slice(-1, 1))
      .all(-1)
      .bitwise_and(t.select(-1, 0).gt(-inf))
      .bitwise_and(t.select(-1, n - 1).lt(inf));
}

/// The place of an x in a table: its interval, and x clamped to the ends.
struct Place
{
  at::Tensor x, xs, interval, first, last, held;

  Place(const at::Tensor & x_, const at::Tensor & xs_)
    : x(x_),
      xs(xs_),
      interval(interval_of(x, xs)),
      first(xs.select(-1, 0)),
      last(xs.select(-1, -1)),
      held(kernels::held_between(x, first, last, Select()))
  {
  }

  at::Tensor held_unless_extrapolated(Beyond beyond) const
  {
    return beyond == Beyond::extrapolate ? x : held;
  }
  /// Returns y, but NaN beyond the ends if `beyond` requests it, and NaN where the abscissae are not in order. If in_order is true, they
  /// are known to be in order, and are not tested.
  at::Tensor checked(const at::Tensor & y, Beyond beyond, bool in_order) const
  {
    at::Tensor r = y;
    if (beyond == Beyond::nan)
      r = select(x.ge(first).bitwise_and(x.le(last)), r, std::numeric_limits<double>::quiet_NaN());
    return in_order ? r : only_where(are_in_order(xs), r);
  }
};

/// The values of monotone cubics, for tables of at least three abscissae.
inline at::Tensor
on_cubics(const Place & p, const at::Tensor & ys, Beyond beyond)
{
  const Size n = p.xs.size(-1);
  const at::Tensor first = p.interval.eq(0), last = p.interval.eq(n - 2);
  const auto knot = [&](const at::Tensor & i) {
    return kernels::Knot{entries_at(p.xs, i), entries_at(ys, i)};
  };
  return kernels::on_cubic(p.x,
                           p.held,
                           knot(p.interval - 1 + first.to(kInt64) * 3), // as in kernels::neighbour
                           knot(p.interval),
                           knot(p.interval + 1),
                           knot(p.interval + 2 - last.to(kInt64) * 3),
                           first,
                           last,
                           beyond,
                           Select());
}

inline at::Tensor
on_lines(const Place & p, const at::Tensor & ys, Beyond beyond)
{
  const at::Tensor next = p.interval + 1;
  return kernels::on_line(p.held_unless_extrapolated(beyond),
                          entries_at(p.xs, p.interval),
                          entries_at(p.xs, next),
                          entries_at(ys, p.interval),
                          entries_at(ys, next),
                          Select());
}

/// The values of tables at x. If in_order is false, the value is NaN where the abscissae are not in order.
/// (...), (..., n), (..., n) -> (...)
inline at::Tensor
interpolate(const at::Tensor & x,
            const at::Tensor & xs,
            const at::Tensor & ys,
            Interpolant interpolant,
            Beyond beyond,
            bool in_order)
{
  const Place p(x, xs);
  const bool cubic = interpolant == Interpolant::monotone_cubic && xs.size(-1) > 2;
  return p.checked(cubic ? on_cubics(p, ys, beyond) : on_lines(p, ys, beyond), beyond, in_order);
}

/// The values at (x, y) of tables of two abscissae. The n m values of a table are in the last dimension; the m values of one abscissa of xs
/// are adjacent. (...), (...), (..., n), (..., m), (..., n m) -> (...)
inline at::Tensor
interpolate(const at::Tensor & x,
            const at::Tensor & y,
            const at::Tensor & xs,
            const at::Tensor & ys,
            const at::Tensor & values,
            Beyond beyond,
            bool x_in_order,
            bool y_in_order)
{
  const Place p(x, xs), q(y, ys);
  const Size m = ys.size(-1);
  const at::Tensor corner = p.interval * m + q.interval;
  const at::Tensor held = p.held_unless_extrapolated(beyond), xa = entries_at(xs, p.interval),
                   xb = entries_at(xs, p.interval + 1);
  const auto along_x = [&](Size j)
  {
    return kernels::on_line(
        held, xa, xb, entries_at(values, corner + j), entries_at(values, corner + j + m), Select());
  };
  const at::Tensor v = kernels::on_line(q.held_unless_extrapolated(beyond),
                                        entries_at(ys, q.interval),
                                        entries_at(ys, q.interval + 1),
                                        along_x(0),
                                        along_x(1),
                                        Select());
  return q.checked(p.checked(v, beyond, x_in_order), beyond, y_in_order);
}
} // namespace neml2::composed
