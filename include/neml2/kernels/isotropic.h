// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/gradient.h"
#include "neml2/kernels/isotropic_functions.h"

/**
 * The caller's functions of the eigenvalues of a symmetric tensor, with derivatives that are exact at and near equal eigenvalues. The
 * derivative of a scalar f(λ) is Σ_i ∂f/∂λ_i v_i v_i. The derivative of Σ_i y_i v_i v_i along e is V z Vᵀ with ε = Vᵀ e V, z_ii = dy_i and
 * z_ij = (y_i - y_j) / (λ_i - λ_j) ε_ij, where the limit of the quotient at λ_i = λ_j is ∂y_i/∂λ_i - ∂y_j/∂λ_i. Source: Chadwick and Ogden
 * (1971), Arch. Rational Mech. Anal. 44, 54-68; Miehe (1998), Comput. Struct. 66, 37-43.
 */
namespace neml2::kernels
{
/// The values of an argument whose numbers are the duals R; an argument of other numbers stays as it is.
template <class R, class A>
NEML2_INLINE auto
values_of_argument(const A & a)
{
  if constexpr (!std::is_same_v<number_t<A>, R>)
    return a;
  else
  {
    using T = typename plain_number<R>::type;
    return converted<T>(a, [](const auto & c) NEML2_INLINE_LAMBDA { return T(value_in<R>(c)); });
  }
}

/// l as a Vec of duals R whose derivatives are 0. The numbers of l have fewer levels of derivatives than R.
template <class R, class T>
NEML2_INLINE Vec<R>
raised(const Vec<T> & l)
{
  return {R(l[0]), R(l[1]), R(l[2])};
}

/// Whether one of the arguments A consists of numbers of type R, which carry derivatives.
template <class R, class... A>
constexpr bool depends_on = (std::is_same_v<number_t<A>, R> || ...);

/// divided_difference of values that the caller's formula computes. The noise includes the round-off of the formula's arguments, which
/// matters for functions that change fast, such as powers with large exponents.
template <class T>
NEML2_INLINE T
difference_of_values(const T & l, const T & m, const T & f, const T & g, const T & df, const T & dg)
{
  const T noise = T(abs(f) + abs(g) + (abs(df) + abs(dg)) * (abs(l) + abs(m)));
  return divided_difference(l, m, f, g, df, dg, T(1e-15 * noise));
}

/// Eigenvalues and eigenvectors of the innermost values of a tensor.
template <class P>
struct PrincipalFrame
{
  Vec<P> l;
  R2<P> V;

  template <class R>
  NEML2_INLINE explicit PrincipalFrame(const SR2<R> & s) : PrincipalFrame(eigh(plain_values(s)))
  {
  }
  NEML2_INLINE explicit PrincipalFrame(const std::pair<Vec<P>, R2<P>> & x) : l(x.first), V(x.second)
  {
  }

  /// The eigenvalues of s, with derivatives if s has them; s has one level of derivatives at most.
  NEML2_INLINE Vec<P> eigenvalues_of(const SR2<P> &) const { return l; }
  template <int N>
  NEML2_INLINE Vec<Dual<P, N>> eigenvalues_of(const SR2<Dual<P, N>> & s) const
  {
    Vec<Dual<P, N>> r{Unset()};
    set_values(r, l);
    const R2<P> Vt = transpose(V);
    NEML2_UNROLL
    for (int k = 0; k < N; k++)
    {
      const SR2<P> d = rotate(partials_of(s, k), Vt);
      set_partials(r, k, Vec<P>(d[0], d[1], d[2]));
    }
    return r;
  }

  /// Σ_i f_i(λ, a) v_i v_i
  template <class F, class... A>
  NEML2_CALLS_FORMULA SR2<P> tensor(const F & f, const SR2<P> &, const A &... a) const
  {
    return ieigh(f(l, a...), V);
  }
  template <class F, int N, class... A>
  NEML2_CALLS_FORMULA SR2<Dual<P, N>>
  tensor(const F & f, const SR2<Dual<P, N>> & s, const A &... a) const
  {
    return from_values(f, f(variables(), values_of_argument<Dual<P, N>>(a)...), s, a...);
  }

  /// f(λ, a)
  template <class F, class... A>
  NEML2_CALLS_FORMULA P scalar(const F & f, const SR2<P> &, const A &... a) const
  {
    return P(f(l, a...));
  }
  template <class F, class T, int N, class... A>
  NEML2_CALLS_FORMULA Dual<T, N>
  scalar(const F & f, const SR2<Dual<T, N>> & s, const A &... a) const
  {
    using R = Dual<T, N>;
    const SR2<T> at = values_of(s);
    const auto [value, slope] =
        KeptValues<T>::once([&] { return value_and_slope(f, at, values_of_argument<R>(a)...); });
    R r;
    if constexpr (depends_on<R, A...>)
      r = f(raised<R>(eigenvalues_of(at)), a...);
    else
      r = R(value);
    NEML2_UNROLL
    for (int k = 0; k < N; k++)
      r.d[k] = r.d[k] + inner(slope, partials_of(s, k));
    return r;
  }

private:
  using E = Dual<P, 3>; ///< a number that carries derivatives with respect to the eigenvalues

  NEML2_INLINE Vec<E> variables() const
  {
    Vec<E> r{Unset()};
    NEML2_UNROLL
    for (int i = 0; i < 3; i++)
    {
      r[i] = E(l[i]);
      r[i].d[i] = P(1.0);
    }
    return r;
  }

  /// Σ_i y_i v_i v_i, where y = f(λ, a) and its derivatives with respect to λ are computed with the values of a, without a's derivatives.
  template <class F, int N, class... A>
  NEML2_CALLS_FORMULA SR2<Dual<P, N>>
  from_values(const F & f, const Vec<E> & y, const SR2<Dual<P, N>> & s, const A &... a) const
  {
    using R = Dual<P, N>;
    P slopes[3];
    NEML2_UNROLL
    for (int p = 0; p < 3; p++)
    {
      const int i = mandel_index[p + 3][0], j = mandel_index[p + 3][1];
      slopes[p] = difference_of_values(
          l[i], l[j], P(y[i].x), P(y[j].x), P(y[i].d[i] - y[j].d[i]), P(y[j].d[j] - y[i].d[j]));
    }
    const R2<P> Vt = transpose(V);
    SR2<R> r{Unset()};
    set_values(r, ieigh(values_of(y), V));
    Vec<R> by_others;
    if constexpr (depends_on<R, A...>)
      by_others = f(raised<R>(l), a...);
    NEML2_UNROLL
    for (int k = 0; k < N; k++)
    {
      const SR2<P> e = rotate(partials_of(s, k), Vt);
      SR2<P> z{Unset()};
      NEML2_UNROLL
      for (int i = 0; i < 3; i++)
      {
        z[i] = P(y[i].d[0] * e[0] + y[i].d[1] * e[1] + y[i].d[2] * e[2]);
        if constexpr (depends_on<R, A...>)
          z[i] = z[i] + by_others[i].d[k];
        z[i + 3] = P(slopes[i] * e[i + 3]);
      }
      set_partials(r, k, rotate(z, V));
    }
    return r;
  }

  /// f(λ, a) and its derivative with respect to s. f is evaluated once for both, unless a has derivatives.
  template <class F, class... A>
  NEML2_CALLS_FORMULA auto value_and_slope(const F & f, const SR2<P> &, const A &... a) const
  {
    const auto [value, y] = differentiate_scalar<0>(f, l, a...);
    return std::tuple(value, ieigh(y, V));
  }
  template <class F, int N, class... A>
  NEML2_CALLS_FORMULA auto
  value_and_slope(const F & f, const SR2<Dual<P, N>> & s, const A &... a) const
  {
    using R = Dual<P, N>;
    const auto [at, y] = differentiate_scalar<0>(f, variables(), values_of_argument<R>(a)...);
    const SR2<R> slope = from_values(RowGradient<0, F>{f}, y, s, a...);
    R value{P(value_in<E>(at))};
    if constexpr (depends_on<R, A...>)
      value = f(eigenvalues_of(s), a...);
    else
    {
      const SR2<P> along = values_of(slope);
      NEML2_UNROLL
      for (int k = 0; k < N; k++)
        value.d[k] = inner(along, partials_of(s, k));
    }
    return std::tuple(value, slope);
  }
};

/**
 * If f returns a number, the result is f(λ, a...), which must not depend on the order of the eigenvalues λ. If f returns a Vec, the result
 * is Σ_i f_i(λ, a...) v_i v_i, where a permutation of the eigenvalues must permute the f_i in the same way.
 */
template <class F, class S, class... A>
NEML2_CALLS_FORMULA auto
isotropic_of(const F & f, const SR2<S> & s, const A &... a)
{
  using R = number_t<std::tuple<SR2<S>, A...>>;
  using Returned = decltype(f(std::declval<const Vec<R> &>(), a...));
  constexpr bool is_scalar =
                     has_numbers<Returned> && !is_group<Returned> && !is_row<Returned>::value,
                 is_vector = std::is_same_v<Returned, Vec<R>>;
  static_assert(is_scalar || is_vector,
                "isotropic: the function must return a scalar, or a Vec of the values of the "
                "tensor's function");
  constexpr int levels = is_scalar ? 2 : 1;
  static_assert(dual_levels<R> <= levels,
                "isotropic: a function of eigenvalues has two derivatives if it is a scalar, and "
                "one if it is a tensor");
  if constexpr (can_be_differentiated<F>() && (is_scalar || is_vector) && dual_levels<R> <= levels)
  {
    using P = typename innermost_number<R>::type;
    const SR2<R> x = lifted<R>(s);
    if constexpr (is_recorded<R>)
      return record_isotropic_function(f, x, a...);
    else
    {
      const PrincipalFrame<P> frame(x);
      if constexpr (is_scalar)
        return frame.scalar(f, x, a...);
      else
        return frame.tensor(f, x, a...);
    }
  }
  else // an error has been reported already: this avoids further ones
    return R(0.0);
}
template <class F, class S, class... A>
NEML2_CALLS_FORMULA auto
isotropic(const F & f, const SR2<S> & s, const A &... a)
{
  return isotropic_of(f, s, with_real_numbers(a)...);
}
} // namespace neml2::kernels
