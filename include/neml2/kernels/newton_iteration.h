// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/NewtonOptions.h"
#include "neml2/kernels/lu.h"
#include "neml2/kernels/numbers.h"

#include <array>

/// The iteration of newton on n numbers: when a point has converged, and how long a step is.
namespace neml2::kernels
{
/// The result of newton_report.
template <class X, class I, class C>
struct NewtonReport
{
  X solution;
  I iterations; ///< how many iterations the point took
  C converged;  ///< whether the point has converged
  I residual;   ///< √(Σ_i r_i²) of the residual r at the solution, without derivatives
};

/// For each number of an X, the place of its unknown in the group X.
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

/// The unknowns to which n numbers belong: number k belongs to unknown `unknown[k]`.
template <int n>
struct NewtonUnknowns
{
  const NewtonOptions & options;
  const int * unknown;

  NEML2_INLINE NewtonOptions::Limits limits(int k) const { return options.limits_at(unknown[k]); }

  /// For each number, the largest |x_k| + |d_k| among all numbers of its unknown.
  template <class V>
  NEML2_INLINE void scale(const V (&x)[n], const V (&d)[n], V (&largest)[n]) const
  {
    int first = 0;
    for (int k = 0; k < n; k++)
    {
      const V size = abs(x[k]) + abs(d[k]);
      if (unknown[k] != unknown[first])
        first = k;
      largest[first] = k == first ? size : maximum(largest[first], size);
      largest[k] = largest[first];
    }
    for (int k = n - 2; k >= 0; k--)
      if (unknown[k] == unknown[k + 1])
        largest[k] = largest[k + 1];
  }

  /// Shortens the step d, which begins at x, to respect the limits; `bounded` is set where a bound changed the step.
  template <class V, class C>
  NEML2_INLINE void shorten(const V (&x)[n], V (&d)[n], C & bounded) const
  {
    V part(1.0);
    for (int k = 0; k < n; k++)
    {
      const double longest = limits(k).step;
      if (longest == std::numeric_limits<double>::infinity())
        continue;
      const V length = abs(d[k]);
      const auto too_long = length > longest;
      part = where(too_long, minimum(part, V(longest / where(too_long, length, V(1.0)))), part);
    }
    for (int k = 0; k < n; k++)
    {
      d[k] = part * d[k];
      const auto its = limits(k);
      if (!its.is_bounded())
        continue;
      const V lower(its.lower), upper(its.upper), next = x[k] + d[k];
      const auto below = (next < lower), above = (next > upper);
      d[k] = where(below, V(0.9 * (lower - x[k])), d[k]);
      d[k] = where(above, V(0.9 * (upper - x[k])), d[k]);
      bounded = bounded | below | above;
    }
  }
};

/// max_k |t_k| / scale_k; |t_k| itself where scale_k is 0.
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
 * The points of the iteration. They stop one by one, and the results of one point do not depend on the other points.
 *
 * A point that passes the test still takes the step from its last iterate, whose derivatives are already computed, and then stops. If the
 * next step, computed with the old derivatives, would not be shorter than the last one, half of the last step is taken back
 * (natural monotonicity test).
 */
template <class V, int n>
struct NewtonIteration
{
  using Condition = typename LU<n, V>::Condition;

  const NewtonUnknowns<n> & unknowns;
  V (&x)[n]; ///< the point where the residual is evaluated next
  V (&J)[n][n];
  V r[n][1]; ///< the residual at x; J has its derivatives
  V base[n], base_r[n], base_J[n][n], d[n], scale[n], level, iterations;
  LU<n, V> lu;
  Condition active, converged, turned, small;

  /// Starts from the guess in x.
  NEML2_INLINE NewtonIteration(const NewtonUnknowns<n> & u, V (&guess)[n], V (&derivatives)[n][n])
    : unknowns(u), x(guess), J(derivatives), level(0.0), iterations(0.0)
  {
    for (int k = 0; k < n; k++)
    {
      if (u.options.limited)
      {
        if (const auto limits = u.limits(k); limits.is_bounded())
          x[k] = minimum(maximum(x[k], V(limits.lower)), V(limits.upper));
      }
      d[k] = base_r[k] = r[k][0] = V(0.0);
      base[k] = scale[k] = x[k];
      lu.over[k] = V(0.0);
      for (int j = 0; j < n; j++)
        lu.a[k][j] = V(0.0);
      if constexpr (!is_one_double<V>)
        for (V & entry : base_J[k])
          entry = V(0.0);
    }
    active = iterations <= iterations;
    converged = turned = small = iterations < iterations;
  }

  /// Finds the points that have converged; returns the active points whose residual is finite.
  NEML2_INLINE Condition test()
  {
    const NewtonOptions & options = unknowns.options;
    iterations = where(active, V(iterations + 1.0), iterations);
    V finite(0.0);
    small = active;
    for (int i = 0; i < n; i++)
    {
      V size(0.0);
      for (int j = 0; j < n; j++)
        size = size + abs(V(J[i][j] * x[j]));
      // abs keeps compilers from contracting product and sum into a fused multiply-add: with any compiler the
      // same points converge.
      const V bound = options.absolute_tolerance + abs(V(options.relative_tolerance * size));
      small = small & (abs(r[i][0]) <= bound) & (bound < std::numeric_limits<double>::infinity());
      finite = finite + 0.0 * r[i][0];
    }
    converged = converged | small;
    return active & (finite <= 0.0);
  }

  /// Whether the next step, computed with the derivatives of the last step, would be shorter than the last step; true where this test
  /// is not needed.
  NEML2_INLINE Condition goes_on() const
  {
    V next[n][1];
    for (int k = 0; k < n; k++)
      next[k][0] = r[k][0];
    lu.solve(next);
    return small | turned | (newton_level(next, scale) < level);
  }

  /// Factors J where x is accepted, otherwise the derivatives of the last accepted point. Those of a single point are factored already.
  NEML2_INLINE void factor(const Condition & accept)
  {
    if (is_one_double<V> && !any(accept))
      return;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        if constexpr (is_one_double<V>)
          lu.a[i][j] = J[i][j];
        else
          lu.a[i][j] = base_J[i][j] = where(accept, J[i][j], base_J[i][j]);
    lu.factor();
  }

  /// Takes a step from x where x is accepted; elsewhere takes half of the last step, from the point where that step
  /// began.
  NEML2_INLINE void step(const Condition & accept)
  {
    for (int i = 0; i < n; i++)
    {
      base[i] = where(accept, x[i], base[i]);
      base_r[i] = where(accept, r[i][0], base_r[i]);
      r[i][0] = base_r[i];
    }
    factor(accept);
    lu.solve(r);
    V whole[n], known(0.0);
    for (int k = 0; k < n; k++)
    {
      whole[k] = -r[k][0];
      known = known + 0.0 * whole[k];
    }
    unknowns.scale(base, whole, scale);
    level = newton_level(r, scale);
    Condition bounded = converged & !converged;
    if (unknowns.options.limited)
      unknowns.shorten(base, whole, bounded);
    turned = (accept & bounded) | (turned & !accept);
    const auto stays = small & !(known <= 0.0); // at a root where no step can be computed, x stays
    for (int k = 0; k < n; k++)
    {
      d[k] = where(accept, where(stays, V(0.0), whole[k]), V(0.5 * d[k]));
      x[k] = where(active, V(base[k] + d[k]), x[k]);
    }
    active = active & !small;
  }

  /// Sets points that did not converge to NaN, unless the options say otherwise.
  NEML2_INLINE void finish()
  {
    if (!unknowns.options.keep)
      for (int k = 0; k < n; k++)
        x[k] = where(converged, x[k], V(std::numeric_limits<double>::quiet_NaN()));
  }
};

/// Iterates x, which is the guess at first and the solution in the end. With WithJacobian, J is then the Jacobian at the solution.
template <bool WithJacobian, class V, int n, class Evaluate>
NEML2_CALLS_FORMULA auto
newton_iterate(V (&x)[n],
               V (&J)[n][n],
               const NewtonUnknowns<n> & unknowns,
               const Evaluate & evaluate)
{
  NewtonIteration<V, n> points(unknowns, x, J);
  NEML2_KEEP_LOOP
  for (int it = 0; it <= unknowns.options.iterations; it++)
  {
    const bool more = it < unknowns.options.iterations && any(points.active);
    if (!more && !WithJacobian)
      break;
    evaluate(x, points.r, J);
    if (!more)
      break;
    auto accept = points.test();
    if (it == 0)
      points.active = accept; // where r is not finite at the guess, there is no step to halve
    else if (unknowns.options.halve_steps)
      accept = accept & points.goes_on();
    points.step(accept);
  }
  points.finish();
  return NewtonReport<int, V, typename LU<n, V>::Condition>{
      0, points.iterations, points.converged, V(0.0)};
}
} // namespace neml2::kernels
