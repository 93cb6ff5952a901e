// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/NewtonOptions.h"
#include "neml2/kernels/lu.h"
#include "neml2/kernels/numbers.h"

#include <array>

/// The iteration of newton on n numbers: when a point has converged, how far a step goes.
namespace neml2::kernels
{
/// What newton_report gives.
template <class X, class I, class C>
struct NewtonReport
{
  X solution;
  I iterations; ///< how often the residual was evaluated
  C converged;  ///< a condition
};

/// Of each number of an X, which of the unknowns of a group it belongs to.
template <class X>
constexpr auto
unknown_of_each()
{
  std::array<int, size_t(number_count<X>)> unknown{};
  if constexpr (is_group<X>)
  {
    size_t k = 0;
    int u = 0;
    for (const int count : Numbers<X>::counts)
    {
      for (int i = 0; i < count; i++)
        unknown[k++] = u;
      u++;
    }
  }
  return unknown;
}
template <class X>
constexpr auto unknowns_of = unknown_of_each<X>();

/// The unknowns of n numbers: their limits, and what is large of them.
template <class X, int n>
struct NewtonUnknowns
{
  const NewtonOptions & options;

  NEML2_INLINE NewtonOptions::Limits limits(int k) const
  {
    return options.limits_at(unknowns_of<X>[size_t(k)]);
  }

  /// The largest |x_k| + |d_k| of each unknown.
  template <class V>
  NEML2_INLINE static void scale(const V (&x)[n], const V (&d)[n], V (&largest)[n])
  {
    constexpr auto unknown = unknowns_of<X>;
    int first = 0;
    for (int k = 0; k < n; k++)
    {
      const V size = abs(x[k]) + abs(d[k]);
      if (unknown[size_t(k)] != unknown[size_t(first)])
        first = k;
      largest[first] = k == first ? size : maximum(largest[first], size);
      largest[k] = largest[first];
    }
    for (int k = n - 2; k >= 0; k--)
      if (unknown[size_t(k)] == unknown[size_t(k) + 1])
        largest[k] = largest[k + 1];
  }

  /// Shortens the step d from x; where a bound turned it, bounded holds.
  template <class V, class C>
  NEML2_INLINE void shorten(const V (&x)[n], V (&d)[n], C & bounded) const
  {
    V part(1.0);
    for (int k = 0; k < n; k++)
    {
      const V length = abs(d[k]), longest(limits(k).step);
      const auto too_long = length > longest;
      part = where(too_long, minimum(part, V(longest / where(too_long, length, V(1.0)))), part);
    }
    for (int k = 0; k < n; k++)
    {
      d[k] = part * d[k];
      const V lower(limits(k).lower), upper(limits(k).upper), next = x[k] + d[k];
      const auto below = (next < lower), above = (next > upper);
      d[k] = where(below, V(0.9 * (lower - x[k])), d[k]);
      d[k] = where(above, V(0.9 * (upper - x[k])), d[k]);
      bounded = bounded | below | above;
    }
  }
};

/// max_k |t_k| / scale_k; 0 of what has the scale 0.
template <class V, int n>
NEML2_INLINE V
newton_level(const V (&t)[n][1], const V (&scale)[n])
{
  V level(0.0);
  for (int k = 0; k < n; k++)
  {
    const auto is_zero = equals_zero(scale[k]);
    level = maximum(level, V(abs(t[k][0]) / where(is_zero, V(1.0), scale[k])));
  }
  return level;
}

/**
 * Iterates x from the guess that it holds. Points stop one by one: what one computes does not depend on the others.
 *
 * A point that passes the test takes the step that is at hand already, and stops. One where the next step, by the old
 * derivatives, would not be shorter than the last goes back half of that (natural monotonicity test). J is in the end that
 * of x, if asked for.
 */
template <bool WithJacobian, class X, class V, int n, class Evaluate>
NEML2_CALLS_FORMULA auto
newton_iterate(V (&x)[n],
               V (&J)[n][n],
               const NewtonUnknowns<X, n> & unknowns,
               const Evaluate & evaluate)
{
  const NewtonOptions & options = unknowns.options;
  V r[n][1], base[n], base_r[n], d[n], scale[n], level(0.0), iterations(0.0);
  LU<n, V> lu;
  V base_J[n][n];
  for (int k = 0; k < n; k++)
  {
    if (options.limited)
    {
      const auto limits = unknowns.limits(k);
      x[k] = minimum(maximum(x[k], V(limits.lower)), V(limits.upper));
    }
    d[k] = base_r[k] = V(0.0);
    base[k] = scale[k] = x[k];
    lu.over[k] = V(0.0);
    for (int j = 0; j < n; j++)
      lu.a[k][j] = base_J[k][j] = V(0.0);
  }
  auto active = iterations <= iterations, converged = iterations < iterations, turned = converged;
  NEML2_KEEP_LOOP
  for (int it = 0; it <= options.iterations; it++)
  {
    const bool more = it < options.iterations && any(active);
    if (!more && !WithJacobian)
      break;
    evaluate(x, r, J);
    if (!more)
      break;
    iterations = where(active, V(iterations + 1.0), iterations);
    V finite(0.0);
    auto small = active;
    for (int i = 0; i < n; i++)
    {
      V size(0.0);
      for (int j = 0; j < n; j++)
        size = size + abs(V(J[i][j] * x[j]));
      const V bound = options.relative_tolerance * size + options.absolute_tolerance;
      small = small & (abs(r[i][0]) <= bound) & (bound < std::numeric_limits<double>::infinity());
      finite = finite + 0.0 * r[i][0];
    }
    converged = converged | small;
    auto accept = active & (finite <= 0.0);
    if (it == 0)
      active = accept; // what has no residual at the guess has nowhere to go back to
    else if (options.halve_steps)
    {
      V next[n][1];
      for (int k = 0; k < n; k++)
        next[k][0] = r[k][0];
      lu.solve(next);
      accept = accept & (small | turned | (newton_level(next, scale) < level));
    }
    for (int i = 0; i < n; i++)
    {
      base[i] = where(accept, x[i], base[i]);
      base_r[i] = where(accept, r[i][0], base_r[i]);
      r[i][0] = base_r[i];
      for (int j = 0; j < n; j++)
        lu.a[i][j] = base_J[i][j] = where(accept, J[i][j], base_J[i][j]);
    }
    lu.factor();
    lu.solve(r);
    V step[n], known(0.0);
    for (int k = 0; k < n; k++)
    {
      step[k] = -r[k][0];
      known = known + 0.0 * step[k];
    }
    unknowns.scale(base, step, scale);
    level = newton_level(r, scale);
    auto bounded = converged & !converged;
    if (options.limited)
      unknowns.shorten(base, step, bounded);
    turned = (accept & bounded) | (turned & !accept);
    const auto stays = small & !(known <= 0.0); // a root where no step can be told
    for (int k = 0; k < n; k++)
    {
      d[k] = where(accept, where(stays, V(0.0), step[k]), V(0.5 * d[k]));
      x[k] = where(active, V(base[k] + d[k]), x[k]);
    }
    active = active & !small;
  }
  if (!options.keep)
    for (int k = 0; k < n; k++)
      x[k] = where(converged, x[k], V(std::numeric_limits<double>::quiet_NaN()));
  return NewtonReport<int, V, decltype(converged)>{0, iterations, converged};
}
} // namespace neml2::kernels
