// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/captures.h"
#include "neml2/kernels/newton_iteration.h"

/// Newton's method at each point, in a formula. It works on numbers, and on packs (one point per lane), whose lanes stop one by one. The
/// solution carries derivatives if the arguments do.
namespace neml2::kernels
{
/// The number of derivatives that the residual carries at once: all n if n <= 8; otherwise they are split into
/// equal parts.
constexpr int
newton_partials(int n)
{
  const int parts = (n + 7) / 8;
  return (n + parts - 1) / parts;
}

/// The system of equations residual(x, arguments...) = 0 for n numbers x of type V. The arguments carry no derivatives.
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
                  "newton: the residual must return a scalar, a tensor, or a group of them");
    if constexpr (has_numbers<Residual> && is_of_values<Residual>())
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

  /// The residual and its derivatives with respect to the unknown x.
  NEML2_CALLS_FORMULA static void
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

/// Whether the residual at an X carries derivatives with respect to the arguments. `Some` tells whether any argument carries derivatives.
template <bool Some, class F, class X, class... A>
constexpr bool depends_on_arguments = false;
template <class F, class X, class... A>
constexpr bool depends_on_arguments<true, F, X, A...> =
    is_active<std::decay_t<std::invoke_result_t<const F &, const X &, const A &...>>>;

/// Calls f(part) for each plain number within a dual of any level; the first part is the value.
template <class T, class F>
NEML2_INLINE void
for_each_part(T & a, const F & f)
{
  if constexpr (dual_levels<std::remove_const_t<T>> == 0)
    f(a);
  else
  {
    for_each_part(a.x, f);
    for (auto & d : a.d)
      for_each_part(d, f);
  }
}
/// How many plain numbers a T consists of.
template <class T>
constexpr int part_count = 1;
template <class T, int N>
constexpr int part_count<Dual<T, N>> = part_count<T> *(N + 1);

/**
 * The solution x, given as plain numbers, with derivatives of more than one level with respect to the arguments. The step x - J^-1 r(x, a)
 * is made in duals, once per level, because each step makes the derivatives of one more order exact. The values of the duals stay as they
 * are.
 */
template <class Outer, class V, int n, class F, class X, class C, class... A>
NEML2_CALLS_FORMULA auto
newton_derivatives(
    const F & f, const X & solution, const LU<n, V> & lu, const C & converged, const A &... a)
{
  constexpr int m = part_count<Outer> - 1;
  with_numbers_t<X, Outer> result;
  V x[n];
  int k = 0;
  for_each_number(solution, [&](const V & c) { x[k++] = c; });
  k = 0;
  for_each_number(result, [&](Outer & c) { c = Outer(x[k++]); });
  NEML2_KEEP_LOOP
  for (int level = 0; level < dual_levels<Outer>; level++)
  {
    const auto residual = f(static_cast<const decltype(result) &>(result), a...);
    V b[n][m];
    int i = 0;
    for_each_number(residual,
                    [&](const auto & c)
                    {
                      const Outer r(c);
                      int j = -1; // -1: the value, which is not changed
                      for_each_part(r,
                                    [&](const V & part)
                                    {
                                      if (j >= 0)
                                        b[i][j] = part;
                                      j++;
                                    });
                      i++;
                    });
    lu.solve(b);
    i = 0;
    for_each_number(result,
                    [&](Outer & c)
                    {
                      int j = -1;
                      for_each_part(c,
                                    [&](V & part)
                                    {
                                      if (j >= 0)
                                        part = part - b[i][j];
                                      j++;
                                    });
                      i++;
                    });
  }
  k = 0;
  for_each_number(
      result,
      [&](Outer & c)
      {
        for_each_part(c,
                      [&](V & part) {
                        part = where(converged, part, V(std::numeric_limits<double>::quiet_NaN()));
                      });
        innermost(c) = x[k++];
      });
  return result;
}

/// √(Σ_i r_i²) of the residual at x; neither x nor the arguments carry derivatives.
template <class V, class F, class X, class... A>
NEML2_CALLS_FORMULA V
residual_norm(const F & f, const X & x, const A &... a)
{
  V square(0.0);
  const auto residual = f(x, a...);
  for_each_number(residual, [&](const auto & c) { square = square + V(c) * V(c); });
  return norm_of_square(square);
}

/// Newton's method for arguments that are numbers, rows and groups of them. The residual at the solution is computed only with Report.
template <bool Report, class F, class X, class... A>
NEML2_CALLS_FORMULA auto
newton_of(const F & f, const X & guess, const NewtonOptions & options, const A &... a)
{
  static_assert(
      holds_only_numbers<F>(),
      "newton: the residual must not capture values: they would count as constants in the "
      "derivatives of the solution. Pass them as arguments of newton, or write a struct of up to "
      "16 public fields that are numbers or enumerations");
  using V = std::decay_t<decltype(((0.0 + std::declval<plain_number_t<X>>()) + ... +
                                   std::declval<plain_number_t<A>>()))>;
  static_assert(
      !is_float32<V>,
      "newton cannot be used in formulas that are computed in float32: float32 has too few digits "
      "for the convergence test. Leave out in_float32; then the formula is computed in float64");
  using System = NewtonSystem<V, F, X, decltype(without_derivatives(a))...>;
  constexpr int n = number_count<X>;
  if constexpr (is_recorded<number_t<std::tuple<X, A...>>>)
    return record_newton_of(std::integral_constant<bool, Report>(), f, guess, options, a...);
  else if constexpr (System::check())
  {
    V x[n], J[n][n];
    for (auto & row : J) // initialised because some compilers would warn
      for (V & entry : row)
        entry = V(0.0);
    int k = 0;
    for_each_number(guess, [&](const auto & c) { x[k++] = V(innermost(c)); });
    constexpr bool outer =
        depends_on_arguments<(is_active<A> || ...), F, with_numbers_t<X, V>, A...>;
    const auto found =
        newton_iterate<outer>(x,
                              J,
                              NewtonUnknowns<n>{options, unknowns_of<X>.data()},
                              [&](const V(&u)[n], V(&r)[n][1], V(&j)[n][n])
                              { System::evaluate(f, u, r, j, without_derivatives(a)...); });
    with_numbers_t<X, V> solution;
    k = 0;
    for_each_number(solution, [&](V & c) { c = x[k++]; });
    V left(0.0);
    if constexpr (Report)
      left = residual_norm<V>(
          f, static_cast<const decltype(solution) &>(solution), without_derivatives(a)...);
    if constexpr (!outer)
      return NewtonReport<with_numbers_t<X, V>, V, decltype(found.converged)>{
          solution, found.iterations, found.converged, left};
    else
    { // r(x(a), a) = 0 gives ∂r/∂x dx = -∂r/∂a da
      const auto residual = f(static_cast<const decltype(solution) &>(solution), a...);
      using Outer = number_t<std::decay_t<decltype(residual)>>;
      LU<n, V> lu;
      for (int r = 0; r < n; r++)
        for (int j = 0; j < n; j++)
          lu.a[r][j] = J[r][j];
      lu.factor();
      if constexpr (dual_levels < Outer >> 1)
      {
        const auto result = newton_derivatives<Outer, V, n>(f, solution, lu, found.converged, a...);
        return NewtonReport<std::decay_t<decltype(result)>, V, decltype(found.converged)>{
            result, found.iterations, found.converged, left};
      }
      else
      {
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
        lu.solve(b);
        with_numbers_t<X, Outer> result;
        i = 0;
        for_each_number(result,
                        [&](Outer & c)
                        {
                          c.x = x[i];
                          for (int j = 0; j < m; j++)
                            c.d[j] = where(found.converged,
                                           b[i][j],
                                           V(std::numeric_limits<double>::quiet_NaN()));
                          i++;
                        });
        return NewtonReport<decltype(result), V, decltype(found.converged)>{
            result, found.iterations, found.converged, left};
      }
    }
  }
  else // an error has been reported already: this avoids further ones
    return NewtonReport<X, V, bool>{guess, V(0.0), false, V(0.0)};
}

template <class T>
using is_newton_options = std::is_same<T, NewtonOptions>;

template <class Call, class Tuple, size_t... I>
NEML2_CALLS_FORMULA auto
with_last_first(const Call & call, const Tuple & a, std::index_sequence<I...>)
{
  return call(std::get<sizeof...(I)>(a), std::get<I>(a)...);
}
/// call(options, arguments...), where the options are the last argument, or the defaults.
template <class Call, class... A>
NEML2_CALLS_FORMULA auto
with_newton_options(const Call & call, const A &... a)
{
  if constexpr ((is_newton_options<A>::value || ...))
    return with_last_first(
        call, std::tuple<const A &...>(a...), std::make_index_sequence<sizeof...(A) - 1>());
  else
    return call(NewtonOptions(), a...);
}

/// Enables an overload for arguments in a formula. The last argument may be options.
template <class X, class... A>
using if_newton_in_formula =
    std::enable_if_t<has_numbers<X> && ((has_numbers<A> || is_newton_options<A>::value) && ...),
                     int>;

/**
 * The x with residual(x, a...) = 0, found by Newton's method from a guess, and a report of the iteration.
 *
 * The first argument of residual is the unknown, and residual returns as many numbers as the unknown has. The fields of residual, if
 * any, are plain numbers.
 */
template <class F, class X, class... A, if_newton_in_formula<X, A...> = 0>
NEML2_CALLS_FORMULA auto
newton_report(const F & residual, const X & guess, const A &... a)
{
  return with_newton_options(
      [&](const NewtonOptions & o, const auto &... x)
      { return newton_of<true>(residual, guess, o, with_real_numbers(x)...); },
      a...);
}
/// The solution x without the report; NaN where Newton's method did not converge, unless the options say otherwise.
template <class F, class X, class... A, if_newton_in_formula<X, A...> = 0>
NEML2_CALLS_FORMULA auto
newton(const F & residual, const X & guess, const A &... a)
{
  return with_newton_options(
      [&](const NewtonOptions & o, const auto &... x)
      { return newton_of<false>(residual, guess, o, with_real_numbers(x)...).solution; },
      a...);
}
} // namespace neml2::kernels
