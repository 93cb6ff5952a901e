// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/eigenvalue_functions.h"

/**
 * Exponential, logarithm, root and powers of symmetric tensors by their eigenvalues: with Γ the divided
 * differences f[λ_i, λ_j] = (f(λ_i) - f(λ_j)) / (λ_i - λ_j), f'(λ_i) where the two are equal, the
 * derivative of f(s) along e is V (Γ ∘ Vᵀ e V) Vᵀ.
 * Source: Higham (2008), Functions of Matrices, theorem 3.9 and corollary 3.12.
 */
namespace neml2::kernels
{
/// Values, and in Mandel order slopes and divided differences, in the frame of V.
template <class T>
struct Spectrum
{
  R2<T> V;
  Vec<T> values;
  SR2<T> slopes;
};

template <bool WithSlopes, template <class> class F, class T>
NEML2_INLINE Spectrum<T>
spectrum(const F<T> & f)
{
  const auto [l, V] = eigh(f.decomposed);
  Spectrum<T> r{V, Vec<T>(Unset()), SR2<T>(Unset())};
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
template <template <class> class F, class T>
NEML2_INLINE SR2<T>
isotropic_derivative(const F<T> & f, const SR2<T> & e)
{
  return slope_along(spectrum<true>(f), e);
}

/// The derivative.
template <template <class> class F, class T>
NEML2_INLINE SSR4<T>
isotropic_derivative(const F<T> & f)
{
  const auto x = spectrum<true>(f);
  return scaling_in_frame(x.slopes, x.V);
}

/// f of duals, from f of their values and the derivatives of what it is the function of.
template <template <class> class F, class T, int N>
NEML2_INLINE SR2<Dual<T, N>>
isotropic_dual(const F<T> & f, const SR2<Dual<T, N>> & s)
{
  const auto x = spectrum<true>(f);
  SR2<Dual<T, N>> r{Unset()};
  set_values(r, ieigh(x.values, x.V));
  NEML2_UNROLL
  for (int k = 0; k < N; k++)
    set_partials(r, k, slope_along(x, partials_of(s, k)));
  return r;
}

/// F of s, which may be of duals.
template <template <class> class F, class T>
NEML2_INLINE SR2<T>
isotropic(const SR2<T> & s)
{
  using P = typename plain_number<T>::type;
  if constexpr (std::is_same_v<P, T>)
    return isotropic_value(F<T>(s));
  else
    return isotropic_dual(F<P>(values_of(s)), s);
}

/// e^s
template <class T>
NEML2_INLINE SR2<T>
expm(const SR2<T> & s)
{
  return isotropic<Exponential>(s);
}
/// Its derivative by s, or along e.
template <class T, class... E>
NEML2_INLINE auto
dexpm(const SR2<T> & s, const E &... e)
{
  return isotropic_derivative(Exponential<T>(s), e...);
}

/// log s of positive definite s, else NaN
template <class T>
NEML2_INLINE SR2<T>
logm(const SR2<T> & s)
{
  return isotropic<Logarithm>(s);
}
/// Its derivative by s, or along e.
template <class T, class... E>
NEML2_INLINE auto
dlogm(const SR2<T> & s, const E &... e)
{
  return isotropic_derivative(Logarithm<T>(s), e...);
}

/// √s of positive definite s, else NaN
template <class T>
NEML2_INLINE SR2<T>
sqrtm(const SR2<T> & s)
{
  return isotropic<SquareRoot>(s);
}
/// Its derivative by s, or along e.
template <class T, class... E>
NEML2_INLINE auto
dsqrtm(const SR2<T> & s, const E &... e)
{
  return isotropic_derivative(SquareRoot<T>(s), e...);
}

/// s^p of positive definite s, else NaN; either may be of duals.
template <class A, class B>
NEML2_INLINE SR2<product_t<A, B>>
powm(const SR2<A> & s, const B & p)
{
  using R = product_t<A, B>;
  using T = typename plain_number<R>::type;
  if constexpr (std::is_same_v<T, R>)
    return isotropic_value(Power<T>(s * T(1.0), T(p)));
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
/// Its derivative by s, or along e.
template <class T, class P, class... E>
NEML2_INLINE auto
dpowm(const SR2<T> & s, const P & p, const E &... e)
{
  return isotropic_derivative(Power<T>(s, T(p)), e...);
}
} // namespace neml2::kernels
