// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/NewtonOptions.h"
#include "neml2/kernels/lu.h"
#include "neml2/kernels/numbers.h"

#include <array>

/// Newton's method at each point, in a formula: on numbers, on packs whose lanes stop one by one, and with the derivatives
/// of the solution where the arguments carry derivatives.
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

/// How many derivatives the residual carries at once: all of up to 8, more in equal parts.
constexpr int
newton_partials(int n)
{
  const int parts = (n + 7) / 8;
  return (n + parts - 1) / parts;
}

/// The system of equations: residual(x, arguments...) = 0 of n numbers x, of type V. Arguments carry no derivatives.
template <class V, class F, class X, class... A>
struct NewtonSystem
{
  static constexpr int n = number_count<X>, chunk = newton_partials(n);
  using Active = Dual<V, chunk>;
  using Unknown = with_numbers_t<X, Active>;
  using Residual = std::decay_t<std::invoke_result_t<const F &, const Unknown &, const A &...>>;

  static constexpr bool check()
  {
    static_assert(has_numbers<Residual>,
                  "newton: the residual must return a scalar, a tensor, or a std::tuple of them");
    if constexpr (has_numbers<Residual>)
    {
      static_assert(
          number_count<Residual> == n,
          "newton: there must be as many equations as unknowns: the residual must return as "
          "many numbers as the guess has");
      static_assert(is_active<Residual>,
                    "newton: the residual does not depend on the unknown, its first argument");
      return number_count<Residual> == n && is_active<Residual>;
    }
    else
      return false;
  }

  /// The residual and its derivatives by the unknown.
  NEML2_INLINE static void
  evaluate(const F & f, const V (&x)[n], V (&r)[n][1], V (&J)[n][n], const A &... a)
  {
    NEML2_KEEP_LOOP
    for (int first = 0; first < n; first += chunk)
    {
      Unknown u;
      int k = 0;
      for_each_number(u,
                      [&](Active & c)
                      {
                        c.x = x[k];
                        for (int j = 0; j < chunk; j++)
                          c.d[j] = V(k == first + j ? 1.0 : 0.0);
                        k++;
                      });
      const Residual result = f(static_cast<const Unknown &>(u), a...);
      int i = 0;
      for_each_number(result,
                      [&](const auto & c)
                      {
                        r[i][0] = value(c);
                        for (int j = 0; j < chunk && first + j < n; j++)
                          J[i][first + j] = derivative(c, j);
                        i++;
                      });
    }
  }
};

/// Of each number of an X, which of the unknowns of a tuple it belongs to.
template <class X>
struct UnknownOf
{
  static constexpr std::array<int, size_t(number_count<X>)> each{};
};
template <class... R>
struct UnknownOf<std::tuple<R...>>
{
  static constexpr auto numbered()
  {
    std::array<int, size_t(number_count<std::tuple<R...>>)> unknown{};
    size_t k = 0;
    int u = 0;
    for (const int count : {number_count<R>...})
    {
      for (int i = 0; i < count; i++)
        unknown[k++] = u;
      u++;
    }
    return unknown;
  }
  static constexpr auto each = numbered();
};

/// The unknowns of n numbers: their limits, and what is large of them.
template <class X, int n>
struct NewtonUnknowns
{
  NewtonOptions::Limits of[n];

  NEML2_INLINE void set(const NewtonOptions & options)
  {
    for (int k = 0; k < n; k++)
      of[k] = options.limits_at(UnknownOf<X>::each[size_t(k)]);
  }

  /// The largest |x_k| + |d_k| of each unknown.
  template <class V>
  NEML2_INLINE static void scale(const V (&x)[n], const V (&d)[n], V (&largest)[n])
  {
    constexpr auto unknown = UnknownOf<X>::each;
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
      const V length = abs(d[k]), longest(of[k].step);
      const auto too_long = length > longest;
      part = where(too_long, minimum(part, V(longest / where(too_long, length, V(1.0)))), part);
    }
    for (int k = 0; k < n; k++)
    {
      d[k] = part * d[k];
      const V lower(of[k].lower), upper(of[k].upper), next = x[k] + d[k];
      const auto below = next<lower, above = next> upper;
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
NEML2_INLINE auto
newton_iterate(V (&x)[n],
               V (&J)[n][n],
               const NewtonOptions & options,
               const NewtonUnknowns<X, n> & unknowns,
               const Evaluate & evaluate)
{
  V r[n][1], base[n], base_r[n], d[n], scale[n], level(0.0), iterations(0.0);
  LU<n, V> lu;
  V base_J[n][n];
  for (int k = 0; k < n; k++)
  {
    if (options.limited)
      x[k] = minimum(maximum(x[k], V(unknowns.of[k].lower)), V(unknowns.of[k].upper));
    d[k] = base_r[k] = V(0.0);
    base[k] = scale[k] = x[k];
    for (int j = 0; j < n; j++)
      base_J[k][j] = V(0.0);
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

/// Whether the residual of an X carries derivatives of the arguments, which some of them do.
template <bool Some, class F, class X, class... A>
constexpr bool depends_on_arguments = false;
template <class F, class X, class... A>
constexpr bool depends_on_arguments<true, F, X, A...> =
    is_active<std::decay_t<std::invoke_result_t<const F &, const X &, const A &...>>>;

/// newton of arguments that are numbers, rows and tuples of them.
template <class F, class X, class... A>
NEML2_INLINE auto
newton_of(const F & f, const X & guess, const NewtonOptions & options, const A &... a)
{
  static_assert(
      std::is_empty_v<F>,
      "newton: the residual must not capture: what it captures would count as constant in "
      "the derivatives of the solution. Pass it as an argument of newton");
  using V = std::decay_t<decltype((std::declval<plain_number_t<X>>() + ... +
                                   std::declval<plain_number_t<A>>()))>;
  using System = NewtonSystem<V, F, X, decltype(without_derivatives(a))...>;
  constexpr int n = number_count<X>;
  if constexpr (System::check())
  {
    V x[n], J[n][n];
    for (auto & row : J) // not uninitialised, as far as a compiler can tell
      for (V & entry : row)
        entry = V(0.0);
    int k = 0;
    for_each_number(guess, [&](const auto & c) { x[k++] = V(value(c)); });
    NewtonUnknowns<X, n> unknowns;
    if (options.limited)
      unknowns.set(options);
    constexpr bool outer =
        depends_on_arguments<(is_active<A> || ...), F, with_numbers_t<X, V>, A...>;
    const auto found =
        newton_iterate<outer>(x,
                              J,
                              options,
                              unknowns,
                              [&](const V(&u)[n], V(&r)[n][1], V(&j)[n][n])
                              { System::evaluate(f, u, r, j, without_derivatives(a)...); });
    with_numbers_t<X, V> solution;
    k = 0;
    for_each_number(solution, [&](V & c) { c = x[k++]; });
    if constexpr (!outer)
      return NewtonReport<decltype(solution), V, decltype(found.converged)>{
          solution, found.iterations, found.converged};
    else
    { // r(x(a), a) = 0: ∂r/∂x dx = -∂r/∂a da
      const auto residual = f(static_cast<const decltype(solution) &>(solution), a...);
      using Outer = number_t<std::decay_t<decltype(residual)>>;
      constexpr int m = int(std::extent_v<decltype(Outer::d)>);
      V b[n][m];
      int i = 0;
      for_each_number(residual,
                      [&](const auto & c)
                      {
                        for (int j = 0; j < m; j++)
                          b[i][j] = -derivative(c, j);
                        i++;
                      });
      LU<n, V> lu;
      for (int r = 0; r < n; r++)
        for (int j = 0; j < n; j++)
          lu.a[r][j] = J[r][j];
      lu.factor();
      lu.solve(b);
      with_numbers_t<X, Outer> result;
      i = 0;
      for_each_number(
          result,
          [&](Outer & c)
          {
            c.x = x[i];
            for (int j = 0; j < m; j++)
              c.d[j] = where(found.converged, b[i][j], V(std::numeric_limits<double>::quiet_NaN()));
            i++;
          });
      return NewtonReport<decltype(result), V, decltype(found.converged)>{
          result, found.iterations, found.converged};
    }
  }
  else // so that nothing else is reported
    return NewtonReport<X, V, bool>{guess, V(0.0), false};
}

/// Hands the options, which come last or not at all, before the arguments.
template <class F, class X, class Tuple, size_t... I>
NEML2_INLINE auto
newton_with_last(const F & f, const X & guess, const Tuple & a, std::index_sequence<I...>)
{
  constexpr size_t last = std::tuple_size_v<Tuple> - 1;
  return newton_of(f, guess, std::get<last>(a), std::get<I>(a)...);
}
template <class T>
using is_newton_options = std::is_same<T, NewtonOptions>;

/// Enables an overload for arguments in a formula, maybe with options as the last.
template <class X, class... A>
using if_newton_in_formula =
    std::enable_if_t<has_numbers<X> && ((has_numbers<A> || is_newton_options<A>::value) && ...),
                     int>;

/**
 * The x with residual(x, a...) = 0 by Newton's method from a guess, and how it was found.
 *
 * residual takes the unknown first, and returns as many numbers as it has; it captures nothing.
 */
template <class F, class X, class... A, if_newton_in_formula<X, A...> = 0>
NEML2_INLINE auto
newton_report(const F & residual, const X & guess, const A &... a)
{
  if constexpr ((is_newton_options<A>::value || ...))
    return newton_with_last(residual,
                            guess,
                            std::tuple<const A &...>(a...),
                            std::make_index_sequence<sizeof...(A) - 1>());
  else
    return newton_of(residual, guess, NewtonOptions(), a...);
}
/// Its solution alone: NaN where newton did not converge, unless the options say otherwise.
template <class F, class X, class... A, if_newton_in_formula<X, A...> = 0>
NEML2_INLINE auto
newton(const F & residual, const X & guess, const A &... a)
{
  return newton_report(residual, guess, a...).solution;
}
} // namespace neml2::kernels
