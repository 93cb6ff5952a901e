// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/R3.h"
#include "neml2/kernels/isotropic_by_products.h"

/**
 * Exponential, logarithm, root and powers of symmetric tensors, computed from their eigenvalues. The derivative of f(s) along e is
 * V (Γ ∘ Vᵀ e V) Vᵀ with the divided differences Γ_ij = f[λ_i, λ_j] = (f(λ_i) - f(λ_j)) / (λ_i - λ_j), or f'(λ_i) where the
 * two eigenvalues are equal. The second derivative along e and h is V z Vᵀ with z_ij = Σ_k f[λ_i, λ_k, λ_j]
 * (e_ik h_kj + h_ik e_kj), where e and h are in the frame of V. Source: Higham (2008), Functions of Matrices, theorem 3.9 and
 * corollary 3.12; Bhatia (1997), Matrix Analysis, eq. V.25.
 */
namespace neml2::kernels
{
/// The values of f, its slopes and its divided differences. The slopes and differences are in the frame of V, in Mandel order.
template <class T>
struct Spectrum
{
  R2<T> V;
  Vec<T> values;
  SR2<T> slopes;
  Vec<T> eigenvalues;
};

/// Eigenvalues and eigenvectors of the argument of f.
template <template <class> class F, class T>
NEML2_INLINE std::pair<Vec<T>, R2<T>>
eigenpairs(const F<T> & f)
{
  return eigh(f.decomposed);
}

template <bool WithSlopes, template <class> class F, class T>
NEML2_INLINE Spectrum<T>
spectrum(const F<T> & f)
{
  const auto [l, V] = eigenpairs(f);
  Spectrum<T> r{V, Vec<T>(Unset()), SR2<T>(Unset()), l};
  NEML2_UNROLL
  for (int i = 0; i < 3; i++)
    r.values[i] = f.value(l[i]);
  if constexpr (WithSlopes)
  {
    NEML2_UNROLL
    for (int i = 0; i < 3; i++)
      r.slopes[i] = f.slope(l[i], r.values[i]);
    NEML2_UNROLL
    for (int p = 3; p < 6; p++)
    {
      const int i = mandel_index[p][0], j = mandel_index[p][1];
      r.slopes[p] = f.quotient(l[i], l[j], r.values[i], r.values[j]);
    }
  }
  return r;
}

/// Σ_k f(λ_k) v_k v_k
template <template <class> class F, class T>
NEML2_INLINE SR2<T>
isotropic_value(const F<T> & f)
{
  const auto x = spectrum<false>(f);
  return ieigh(x.values, x.V);
}

/// The derivative along e.
template <class T>
NEML2_INLINE SR2<T>
slope_along(const Spectrum<T> & x, const SR2<T> & e)
{
  const SR2<T> y = rotate(e, transpose(x.V));
  SR2<T> z{Unset()};
  NEML2_UNROLL
  for (int p = 0; p < 6; p++)
    z[p] = x.slopes[p] * y[p];
  return rotate(z, x.V);
}

/// f[λ_i, λ_j, λ_k] of a spectrum with slopes.
template <template <class> class F, class T>
NEML2_INLINE R3<T>
second_differences(const F<T> & f, const Spectrum<T> & x)
{
  R3<T> r{Unset()};
  NEML2_UNROLL
  for (int i = 0; i < 3; i++)
    NEML2_UNROLL
  for (int j = i; j < 3; j++)
    NEML2_UNROLL
  for (int k = j; k < 3; k++)
  {
    const auto of = [&](const Vec<T> & v) NEML2_INLINE_LAMBDA { return Vec<T>(v[i], v[j], v[k]); };
    const T d = f.second(of(x.eigenvalues),
                         of(x.values),
                         x.slopes[mandel_reverse_index[i][j]],
                         x.slopes[mandel_reverse_index[j][k]]);
    r[9 * i + 3 * j + k] = r[9 * i + 3 * k + j] = r[9 * j + 3 * i + k] = d;
    r[9 * j + 3 * k + i] = r[9 * k + 3 * i + j] = r[9 * k + 3 * j + i] = d;
  }
  return r;
}

/// The second derivative along e and h.
template <class T>
NEML2_INLINE SR2<T>
curvature_along(const Spectrum<T> & x, const R3<T> & second, const SR2<T> & e, const SR2<T> & h)
{
  const R2<T> Vt = transpose(x.V), y = full(rotate(e, Vt)), w = full(rotate(h, Vt));
  R2<T> z{Unset()};
  NEML2_UNROLL
  for (int i = 0; i < 3; i++)
    NEML2_UNROLL
  for (int j = 0; j < 3; j++)
  {
    T sum(0.0);
    NEML2_UNROLL
    for (int k = 0; k < 3; k++)
      sum = T(sum + second[9 * i + 3 * k + j] *
                        (y[3 * i + k] * w[3 * k + j] + w[3 * i + k] * y[3 * k + j]));
    z[3 * i + j] = sum;
  }
  return rotate(sym(z), x.V);
}

/// The type of a product of numbers of these types.
template <class A, class... B>
struct Products
{
  using type = A;
};
template <class A, class B, class... C>
struct Products<A, B, C...> : Products<product_t<A, B>, C...>
{
};
template <class... A>
using products_t = typename Products<A...>::type;

/// The values of a tensor whose numbers may be duals of any level.
template <class A>
NEML2_INLINE auto
plain_values(const SR2<A> & s)
{
  SR2<typename innermost_number<A>::type> r{Unset()};
  NEML2_UNROLL
  for (int i = 0; i < 6; i++)
    r[i] = innermost(s[i]);
  return r;
}

/// The tensor s with its numbers converted to R, which may be a dual.
template <class R, class A>
NEML2_INLINE SR2<R>
lifted(const SR2<A> & s)
{
  SR2<R> r{Unset()};
  NEML2_UNROLL
  for (int i = 0; i < 6; i++)
    r[i] = R(s[i]);
  return r;
}

/// The derivative of f along e, for plain numbers.
template <template <class> class F, class T>
NEML2_INLINE SR2<T>
isotropic_derivative(const F<T> & f, const SR2<T> &, const SR2<T> & e)
{
  return slope_along(spectrum<true>(f), e);
}
template <template <class> class F, class T>
NEML2_INLINE SSR4<T>
isotropic_derivative(const F<T> & f, const SR2<T> &)
{
  const auto x = spectrum<true>(f);
  return scaling_in_frame(x.slopes, x.V);
}
/// The derivative along e for duals s and e, from the spectrum at the values of s.
template <class T, int N>
NEML2_INLINE SR2<Dual<T, N>>
dual_slope_along(const Spectrum<T> & x,
                 const R3<T> & second,
                 const SR2<Dual<T, N>> & s,
                 const SR2<Dual<T, N>> & e)
{
  const SR2<T> along = values_of(e);
  SR2<Dual<T, N>> r{Unset()};
  set_values(r, slope_along(x, along));
  NEML2_UNROLL
  for (int k = 0; k < N; k++)
    set_partials(r,
                 k,
                 slope_along(x, partials_of(e, k)) +
                     curvature_along(x, second, along, partials_of(s, k)));
  return r;
}
/// The derivative of f at s along e, for duals s and e; f holds the values of s.
template <template <class> class F, class T, int N>
NEML2_INLINE SR2<Dual<T, N>>
isotropic_derivative(const F<T> & f, const SR2<Dual<T, N>> & s, const SR2<Dual<T, N>> & e)
{
  const auto x = spectrum<true>(f);
  return dual_slope_along(x, second_differences(f, x), s, e);
}
template <template <class> class F, class T, int N>
NEML2_INLINE SSR4<Dual<T, N>>
isotropic_derivative(const F<T> & f, const SR2<Dual<T, N>> & s)
{
  const auto x = spectrum<true>(f);
  const R3<T> second = second_differences(f, x);
  SSR4<Dual<T, N>> r{Unset()};
  set_values(r, scaling_in_frame(x.slopes, x.V));
  NEML2_KEEP_LOOP
  for (int k = 0; k < N; k++)
  {
    SSR4<T> partials{Unset()};
    NEML2_KEEP_LOOP
    for (int q = 0; q < 6; q++)
    {
      SR2<T> direction;
      direction[q] = T(1.0);
      const SR2<T> column = curvature_along(x, second, direction, partials_of(s, k));
      NEML2_UNROLL
      for (int p = 0; p < 6; p++)
        partials[6 * p + q] = column[p];
    }
    set_partials(r, k, partials);
  }
  return r;
}

/// f of duals, from the spectrum of f at their values.
template <class T, int N>
NEML2_INLINE SR2<Dual<T, N>>
dual_of(const Spectrum<T> & x, const SR2<Dual<T, N>> & s)
{
  SR2<Dual<T, N>> r{Unset()};
  set_values(r, ieigh(x.values, x.V));
  NEML2_UNROLL
  for (int k = 0; k < N; k++)
    set_partials(r, k, slope_along(x, partials_of(s, k)));
  return r;
}
/// f of duals, from f of their values and its derivative along their partials.
template <template <class> class F, class T, int N>
NEML2_INLINE SR2<Dual<T, N>>
isotropic_dual(const F<T> & f, const SR2<Dual<T, N>> & s)
{
  return dual_of(spectrum<true>(f), s);
}
/// f of duals of duals, from f of the innermost values; the result contains the second derivatives along the partials of both levels.
template <template <class> class F, class T, int M, int N>
NEML2_INLINE SR2<Dual<Dual<T, M>, N>>
isotropic_dual(const F<T> & f, const SR2<Dual<Dual<T, M>, N>> & s)
{
  const auto x = spectrum<true>(f);
  const R3<T> second = second_differences(f, x);
  const SR2<Dual<T, M>> at = values_of(s);
  SR2<Dual<Dual<T, M>, N>> r{Unset()};
  set_values(r, dual_of(x, at));
  NEML2_UNROLL
  for (int k = 0; k < N; k++)
    set_partials(r, k, dual_slope_along(x, second, at, partials_of(s, k)));
  return r;
}

/// The derivative of F with respect to s, or along e; both s and e may be duals.
template <template <class> class F, class A, class... E>
NEML2_INLINE auto
derivative_of_isotropic(const SR2<A> & s, const E &... e)
{
  using R = products_t<A, typename E::value_type...>;
  const SR2<R> x = lifted<R>(s);
  if constexpr (dual_levels < R >> 1)
    return derivative_by_products(
        [](const auto & y) { return ByProducts<F>::of(y); }, x, lifted<R>(e)...);
  else
  {
    const auto values = plain_values(x);
    return isotropic_derivative(F<typename plain_number<R>::type>(values), x, lifted<R>(e)...);
  }
}

/// F of s, which may consist of duals.
template <template <class> class F, class T>
NEML2_INLINE SR2<T>
isotropic(const SR2<T> & s)
{
  if constexpr (dual_levels<T> == 0)
    return isotropic_value(F<T>(s));
  else if constexpr (dual_levels<T> <= 2)
    return isotropic_dual(F<typename innermost_number<T>::type>(plain_values(s)), s);
  else
    return ByProducts<F>::of(s);
}

/// e^s
template <class T>
NEML2_INLINE SR2<T>
expm(const SR2<T> & s)
{
  return isotropic<Exponential>(s);
}
/// The derivative of e^s with respect to s, or along e.
template <class T, class... E>
NEML2_INLINE auto
dexpm(const SR2<T> & s, const E &... e)
{
  return derivative_of_isotropic<Exponential>(s, e...);
}

/// log s of positive definite s, otherwise NaN
template <class T>
NEML2_INLINE SR2<T>
logm(const SR2<T> & s)
{
  return isotropic<Logarithm>(s);
}
/// The derivative of log s with respect to s, or along e.
template <class T, class... E>
NEML2_INLINE auto
dlogm(const SR2<T> & s, const E &... e)
{
  return derivative_of_isotropic<Logarithm>(s, e...);
}

/// √s of positive definite s, otherwise NaN
template <class T>
NEML2_INLINE SR2<T>
sqrtm(const SR2<T> & s)
{
  return isotropic<SquareRoot>(s);
}
/// The derivative of √s with respect to s, or along e.
template <class T, class... E>
NEML2_INLINE auto
dsqrtm(const SR2<T> & s, const E &... e)
{
  return derivative_of_isotropic<SquareRoot>(s, e...);
}

/// s^p = e^(p log s) of duals of duals. It has derivatives of any order, because expm and logm have.
template <class R>
NEML2_INLINE SR2<R>
nested_powm(const SR2<R> & s, const R & p)
{
  return expm(SR2<R>(logm(s) * p));
}

/// s^p of positive definite s, otherwise NaN; s and p may consist of duals.
template <class A, class B>
NEML2_INLINE SR2<product_t<A, B>>
powm(const SR2<A> & s, const B & p)
{
  using R = product_t<A, B>;
  using T = typename plain_number<R>::type;
  if constexpr (std::is_same_v<T, R>)
    return isotropic_value(Power<T>(s * T(1.0), T(p)));
  else if constexpr (dual_levels < R >> 1)
    return nested_powm(lifted<R>(s), R(p));
  else
  {
    SR2<T> x{Unset()};
    NEML2_UNROLL
    for (int i = 0; i < 6; i++)
      x[i] = T(value(s[i]));
    const Power<T> f(x, T(value(p)));
    const auto y = spectrum<true>(f);
    const SR2<T> power = ieigh(y.values, y.V);
    SR2<R> r{Unset()};
    set_values(r, power);
    SR2<T> by_exponent;
    if constexpr (!std::is_same_v<typename plain_number<B>::type, B>)
      by_exponent = sym(full(logm(x)) * full(power));
    NEML2_UNROLL
    for (int k = 0; k < int(sizeof(R) / sizeof(T)) - 1; k++)
    {
      SR2<T> d;
      if constexpr (!std::is_same_v<typename plain_number<A>::type, A>)
        d = slope_along(y, partials_of(s, k));
      if constexpr (!std::is_same_v<typename plain_number<B>::type, B>)
        d = d + by_exponent * T(derivative(p, k));
      set_partials(r, k, d);
    }
    return r;
  }
}

/// The derivatives of the slopes of a power with respect to the exponent.
template <class T>
NEML2_INLINE Spectrum<T>
slopes_by_exponent(const Power<T> & f, const Spectrum<T> & x)
{
  using D = Dual<T, 1>;
  D exponent(f.exponent);
  exponent.d[0] = T(1.0);
  const Power<D> g(SR2<D>(), exponent);
  Spectrum<T> r = x;
  NEML2_UNROLL
  for (int p = 0; p < 6; p++)
  {
    const int i = mandel_index[p][0], j = mandel_index[p][1];
    const D l(x.eigenvalues[i]), m(x.eigenvalues[j]);
    const D slope = i == j ? g.slope(l, g.value(l)) : g.quotient(l, m, g.value(l), g.value(m));
    r.slopes[p] = slope.d[0];
  }
  return r;
}

/// The derivative of s^p with respect to s, or along e.
template <class A, class B, class... E>
NEML2_INLINE auto
dpowm(const SR2<A> & s, const B & p, const E &... e)
{
  using R = products_t<A, B, typename E::value_type...>;
  using T = typename plain_number<R>::type;
  const SR2<R> x = lifted<R>(s);
  if constexpr (dual_levels < R >> 1)
    return derivative_by_products([&](const auto & y) { return powm(y, p); }, x, lifted<R>(e)...);
  else
  {
    const Power<T> f(plain_values(x), T(value(p)));
    auto r = isotropic_derivative(f, x, lifted<R>(e)...);
    if constexpr (partials < B >> 0)
    {
      const auto y = slopes_by_exponent(f, spectrum<true>(f));
      for (int k = 0; k < partials<B>; k++)
      {
        const T dp = T(derivative(p, k));
        if constexpr (sizeof...(E) == 0)
          set_partials(r, k, partials_of(r, k) + scaling_in_frame(y.slopes, y.V) * dp);
        else
          set_partials(r, k, partials_of(r, k) + slope_along(y, plain_values(e)...) * dp);
      }
    }
    return r;
  }
}
} // namespace neml2::kernels
