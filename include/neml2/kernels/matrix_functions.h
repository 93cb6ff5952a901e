// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/R4.h"
#include "neml2/kernels/spectral.h"

#include <cmath>
#include <limits>

/**
 * Exponential, logarithm, roots and powers of second order tensors.
 *
 * Of symmetric ones by their eigenvalues: with Γ the divided differences f[λ_i, λ_j] = (f(λ_i) - f(λ_j)) /
 * (λ_i - λ_j), f'(λ_i) where the two are equal, the derivative of f(s) along e is V (Γ ∘ Vᵀ e V) Vᵀ. Each
 * function has a formula for Γ without cancellation, so that nothing is lost between nearly equal
 * eigenvalues. Source: Higham (2008), Functions of Matrices, theorem 3.9 and corollary 3.12.
 *
 * The functions of the standard library run lane by lane.
 */
namespace neml2::kernels
{
template <class T>
NEML2_INLINE T
expm1_of(const T & a)
{
  return each_lane(a, [](double x) { return std::expm1(x); });
}
template <class T>
NEML2_INLINE T
log1p_of(const T & a)
{
  return each_lane(a, [](double x) { return std::log1p(x); });
}

/// a / b, or the limit where both are 0.
template <class T>
NEML2_INLINE T
ratio_or(const T & a, const T & b, double limit)
{
  const auto is_zero = (b <= 0.0) & (b >= 0.0);
  return where(is_zero, T(limit), T(a / where(is_zero, T(1.0), b)));
}

/// a where the condition holds, else NaN.
template <class C, class T>
NEML2_INLINE T
only_where(const C & c, const T & a)
{
  return where(c, a, T(std::numeric_limits<double>::quiet_NaN()));
}

// ---- Functions of eigenvalues: what is decomposed, values, slopes and divided differences for l <= m.

template <class T>
struct Exponential
{
  SR2<T> decomposed;

  NEML2_INLINE explicit Exponential(const SR2<T> & s) : decomposed(s) {}

  NEML2_INLINE T value(const T & l) const
  {
    using std::exp;
    return exp(l);
  }
  NEML2_INLINE T slope(const T &, const T & f) const { return f; }
  /// e^m (1 - e^-d) / d, d = m - l, which cannot overflow before e^m does
  NEML2_INLINE T quotient(const T & l, const T & m, const T &, const T & g) const
  {
    const T d = T(m - l);
    return T(g * ratio_or(T(-expm1_of(T(-d))), d, 1.0));
  }
};

/// Of s - I where that is small: log(1 + x) has the relative accuracy of x then, not of s.
template <class T>
struct Logarithm
{
  using Mask = decltype(std::declval<T>() < std::declval<T>());
  Mask is_near;
  SR2<T> decomposed;

  NEML2_INLINE explicit Logarithm(const SR2<T> & s) : Logarithm(s, minus_identity(s)) {}
  /// Of s, if s - I is known better than by subtracting.
  NEML2_INLINE Logarithm(const SR2<T> & s, const SR2<T> & less)
    : is_near(norm_sq(less) < 0.25), decomposed(where(is_near, less, s))
  {
  }

  NEML2_INLINE T value(const T & l) const
  {
    const T x = log1p_of(where(is_near, l, T(l - 1.0))); // l - 1 only where it is not taken
    return where(is_near, x, log_of(l));
  }
  NEML2_INLINE T slope(const T & l, const T & f) const { return T((1.0 + 0.0 * f) / plain(l)); }
  /// log(1 + x) / x / l, x = (m - l) / l; the plain quotient where x is large
  NEML2_INLINE T quotient(const T & l, const T & m, const T & f, const T & g) const
  {
    const T d = T(m - l), x = T(d / plain(l));
    const auto is_small = x < 1.0;
    const T y = where(is_small, x, T(1.0));
    const T near = T(ratio_or(log1p_of(y), y, 1.0) / plain(l));
    return where(is_small, T(near + 0.0 * (f + g)), T((g - f) / where(is_small, T(1.0), d)));
  }

  NEML2_INLINE static SR2<T> minus_identity(const SR2<T> & s)
  {
    return {s[0] - 1.0, s[1] - 1.0, s[2] - 1.0, s[3], s[4], s[5]};
  }
  /// log l, NaN for l <= 0
  NEML2_INLINE static T log_of(const T & l)
  {
    using std::log;
    return only_where(l > 0.0, T(log(l)));
  }

private:
  NEML2_INLINE T plain(const T & l) const { return where(is_near, T(1.0 + l), l); }
};

template <class T>
struct SquareRoot
{
  SR2<T> decomposed;

  NEML2_INLINE explicit SquareRoot(const SR2<T> & s) : decomposed(s) {}

  NEML2_INLINE T value(const T & l) const { return only_where(l > 0.0, sqrt(l)); }
  NEML2_INLINE T slope(const T &, const T & f) const { return T(0.5 / f); }
  /// 1 / (√l + √m)
  NEML2_INLINE T quotient(const T &, const T &, const T & f, const T & g) const
  {
    return T(1.0 / (f + g));
  }
};

template <class T>
struct Power
{
  SR2<T> decomposed;
  T exponent;

  NEML2_INLINE Power(const SR2<T> & s, const T & p) : decomposed(s), exponent(p) {}

  NEML2_INLINE T value(const T & l) const
  {
    using std::pow;
    return only_where(l > 0.0, T(pow(l, exponent)));
  }
  NEML2_INLINE T slope(const T & l, const T & f) const { return T(exponent * (f / l)); }
  /// ± b^p (1 - e^(-|p| L)) / (m - l), L = log(m / l), b the one whose power is the larger
  NEML2_INLINE T quotient(const T & l, const T & m, const T & f, const T & g) const
  {
    const T d = T(m - l), x = T(d / l);
    const auto is_small = x < 1.0;
    const T L = where(is_small,
                      log1p_of(where(is_small, x, T(0.0))),
                      T(Logarithm<T>::log_of(m) - Logarithm<T>::log_of(l)));
    const auto falls = exponent < 0.0;
    const T change = T(-expm1_of(T(-abs(exponent) * L)));
    const T larger = where(falls, T(-f), g);
    const auto is_zero = (d <= 0.0) & (d >= 0.0);
    return where(is_zero, slope(l, f), T(larger * change / where(is_zero, T(1.0), d)));
  }
};

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
isotropic_slope(const F<T> & f, const SR2<T> & e)
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

// ---- Symmetric tensors

/// e^s
template <class T>
NEML2_INLINE SR2<T>
expm(const SR2<T> & s)
{
  return isotropic_value(Exponential<T>(s));
}
template <class T, int N>
NEML2_INLINE SR2<Dual<T, N>>
expm(const SR2<Dual<T, N>> & s)
{
  return isotropic_dual(Exponential<T>(values_of(s)), s);
}
/// Its derivative along e, and by s.
template <class T>
NEML2_INLINE SR2<T>
dexpm(const SR2<T> & s, const SR2<T> & e)
{
  return isotropic_slope(Exponential<T>(s), e);
}
template <class T>
NEML2_INLINE SSR4<T>
dexpm(const SR2<T> & s)
{
  return isotropic_derivative(Exponential<T>(s));
}

/// log s of positive definite s, else NaN
template <class T>
NEML2_INLINE SR2<T>
logm(const SR2<T> & s)
{
  return isotropic_value(Logarithm<T>(s));
}
template <class T, int N>
NEML2_INLINE SR2<Dual<T, N>>
logm(const SR2<Dual<T, N>> & s)
{
  return isotropic_dual(Logarithm<T>(values_of(s)), s);
}
/// Its derivative along e, and by s.
template <class T>
NEML2_INLINE SR2<T>
dlogm(const SR2<T> & s, const SR2<T> & e)
{
  return isotropic_slope(Logarithm<T>(s), e);
}
template <class T>
NEML2_INLINE SSR4<T>
dlogm(const SR2<T> & s)
{
  return isotropic_derivative(Logarithm<T>(s));
}

/// √s of positive definite s, else NaN
template <class T>
NEML2_INLINE SR2<T>
sqrtm(const SR2<T> & s)
{
  return isotropic_value(SquareRoot<T>(s));
}
template <class T, int N>
NEML2_INLINE SR2<Dual<T, N>>
sqrtm(const SR2<Dual<T, N>> & s)
{
  return isotropic_dual(SquareRoot<T>(values_of(s)), s);
}
/// Its derivative along e, and by s.
template <class T>
NEML2_INLINE SR2<T>
dsqrtm(const SR2<T> & s, const SR2<T> & e)
{
  return isotropic_slope(SquareRoot<T>(s), e);
}
template <class T>
NEML2_INLINE SSR4<T>
dsqrtm(const SR2<T> & s)
{
  return isotropic_derivative(SquareRoot<T>(s));
}

template <class T>
struct plain_number
{
  using type = T;
};
template <class T, int N>
struct plain_number<Dual<T, N>>
{
  using type = T;
};

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
/// Its derivative along e, and by s.
template <class T, class P>
NEML2_INLINE SR2<T>
dpowm(const SR2<T> & s, const P & p, const SR2<T> & e)
{
  return isotropic_slope(Power<T>(s, T(p)), e);
}
template <class T, class P>
NEML2_INLINE SSR4<T>
dpowm(const SR2<T> & s, const P & p)
{
  return isotropic_derivative(Power<T>(s, T(p)));
}

// ---- Any tensors: algorithms of products and inverses, which duals pass through. Their number is that
// of the lane that needs most, else they do not branch.

/// The largest number in the lanes.
template <class T>
NEML2_INLINE double
largest_lane(const T & a)
{
  if constexpr (std::is_arithmetic_v<T>)
    return a;
  else
  {
    double m = a.lane(0);
    for (int w = 1; w < T::width; w++)
      m = a.lane(w) > m ? a.lane(w) : m;
    return m;
  }
}

/// √(A_ij A_ij) of the values.
template <class T>
NEML2_INLINE auto
value_norm(const R2<T> & A)
{
  auto s = value(A[0]) * value(A[0]);
  NEML2_UNROLL
  for (int i = 1; i < 9; i++)
    s = s + value(A[i]) * value(A[i]);
  return sqrt(s);
}

template <class T>
NEML2_INLINE R2<T>
plus_identity(const R2<T> & A, double x)
{
  R2<T> r = A;
  NEML2_UNROLL
  for (int i = 0; i < 3; i++)
    r(i, i) = A(i, i) + typename plain_number<T>::type(x);
  return r;
}

/// e^A by scaling and squaring of the [7/7] Padé approximant.
/// Source: Higham (2005), SIAM J. Matrix Anal. Appl. 26, 1179-1193; the norm up to which A is not scaled
/// is that for the derivative, Al-Mohy and Higham (2009), ibid. 30, 1639-1657, table 6.1.
template <class T>
NEML2_INLINE R2<T>
expm(const R2<T> & A)
{
  using P = typename plain_number<T>::type;
  P norm(0.0); // the largest sum of a column
  NEML2_UNROLL
  for (int j = 0; j < 3; j++)
    norm = maximum(norm, P(abs(value(A(0, j))) + abs(value(A(1, j))) + abs(value(A(2, j)))));
  const P squarings = each_lane(norm,
                                [](double x)
                                {
                                  x /= 0.783;
                                  return x > 1.0 && x < 1e300 ? std::ilogb(x) + 1.0 : 0.0;
                                });
  const P scale = each_lane(squarings, [](double n) { return std::ldexp(1.0, -int(n)); });
  const R2<T> B = A * scale, B2 = B * B, B4 = B2 * B2, B6 = B2 * B4;
  const R2<T> odd = B * plus_identity(B6 + B4 * P(1512.0) + B2 * P(277200.0), 8648640.0);
  const R2<T> even = plus_identity(B6 * P(56.0) + B4 * P(25200.0) + B2 * P(1995840.0), 17297280.0);
  R2<T> X = inv(even - odd) * (even + odd);
  const double most = largest_lane(squarings);
  for (int k = 0; k < most; k++)
    X = where(squarings > P(double(k)), X * X, X);
  return X;
}

/// The principal square root by the scaled product form of the Denman-Beavers iteration; NaN where it
/// does not converge, as for eigenvalues on the negative real axis, 0 included, or very close to it.
/// Source: Higham (2008), Functions of Matrices, eq. 6.29, here with scaling by norms.
template <class T>
NEML2_INLINE R2<T>
sqrtm(const R2<T> & A)
{
  using P = typename plain_number<T>::type;
  R2<T> X = A, M = A;
  P error(1.0);
  constexpr int steps = 24;
  NEML2_KEEP_LOOP
  for (int k = 0; k < steps; k++)
  {
    const R2<T> i = inv(M);
    const P ratio = P(value_norm(i) / value_norm(M)), mu2 = sqrt(ratio), mu = sqrt(mu2);
    X = (X * mu + X * i * P(1.0 / mu)) * P(0.5);
    M = plus_identity((M * mu2 + i * P(1.0 / mu2)) * P(0.25), 0.5);
    const P last = error;
    error = value_norm(plus_identity(M, -1.0));
    if (!(largest_lane(maximum(error, last)) >
          1e-9)) // one more step than the value needs, for duals
      break;
  }
  return where(error < 1e-7, X, P(std::numeric_limits<double>::quiet_NaN()));
}

/// The principal logarithm: square roots until the tensor is close to I, then the [7/7] Padé
/// approximant in partial fractions, whose poles are those of Gauss-Legendre quadrature. NaN where a
/// root is. Source: Higham (2008), Functions of Matrices, eqs. 11.17-11.19.
template <class T>
NEML2_INLINE R2<T>
logm(const R2<T> & A)
{
  using P = typename plain_number<T>::type;
  R2<T> Y = A;
  P factor(1.0);
  constexpr int roots = 10;
  NEML2_KEEP_LOOP
  for (int k = 0; k < roots; k++)
  {
    const P distance = value_norm(plus_identity(Y, -1.0));
    if (!(largest_lane(distance) > 0.25))
      break;
    const auto is_far = distance > 0.25;
    Y = where(is_far, sqrtm(Y), Y);
    factor = where(is_far, P(2.0 * factor), factor);
  }
  constexpr double nodes[4] = {0.0, 0.4058451513773972, 0.7415311855993945, 0.9491079123427585},
                   weights[4] = {0.4179591836734694,
                                 0.3818300505051189,
                                 0.2797053914892767,
                                 0.1294849661688697};
  const R2<T> E = plus_identity(Y, -1.0);
  R2<T> sum;
  NEML2_KEEP_LOOP
  for (int k = -3; k <= 3; k++)
  {
    const int j = k < 0 ? -k : k;
    const double x = 0.5 + (k < 0 ? -0.5 : 0.5) * nodes[j];
    sum = sum + inv(plus_identity(E * P(x), 1.0)) * P(0.5 * weights[j]);
  }
  const auto is_near = value_norm(E) <= 0.25;
  return where(is_near, E * sum * factor, P(std::numeric_limits<double>::quiet_NaN()));
}

/// A + ε E, whose functions have their derivatives along E.
template <class T>
NEML2_INLINE R2<Dual<T, 1>>
along(const R2<T> & A, const R2<T> & E)
{
  R2<Dual<T, 1>> r{Unset()};
  set_values(r, A);
  set_partials(r, 0, E);
  return r;
}
/// Derivatives along E.
template <class T>
NEML2_INLINE R2<T>
dexpm(const R2<T> & A, const R2<T> & E)
{
  return partials_of(expm(along(A, E)), 0);
}
template <class T>
NEML2_INLINE R2<T>
dlogm(const R2<T> & A, const R2<T> & E)
{
  return partials_of(logm(along(A, E)), 0);
}
template <class T>
NEML2_INLINE R2<T>
dsqrtm(const R2<T> & A, const R2<T> & E)
{
  return partials_of(sqrtm(along(A, E)), 0);
}

/// ∂f_ij / ∂A_kl of f = F()(A), three components of A at a time.
template <class F, class T>
NEML2_INLINE R4<T>
derivative_of(const F & f, const R2<T> & A)
{
  R4<T> r{Unset()};
  NEML2_KEEP_LOOP
  for (int k = 0; k < 3; k++)
  {
    R2<Dual<T, 3>> x{Unset()};
    set_values(x, A);
    for (int i = 0; i < 9; i++)
      for (int l = 0; l < 3; l++)
        x[i].d[l] = T(i == 3 * k + l ? 1.0 : 0.0);
    const R2<Dual<T, 3>> y = f(x);
    for (int i = 0; i < 9; i++)
      for (int l = 0; l < 3; l++)
        r[9 * i + 3 * k + l] = y[i].d[l];
  }
  return r;
}
template <class T>
NEML2_INLINE R4<T>
dexpm(const R2<T> & A)
{
  return derivative_of([](const auto & x) { return expm(x); }, A);
}
template <class T>
NEML2_INLINE R4<T>
dlogm(const R2<T> & A)
{
  return derivative_of([](const auto & x) { return logm(x); }, A);
}
template <class T>
NEML2_INLINE R4<T>
dsqrtm(const R2<T> & A)
{
  return derivative_of([](const auto & x) { return sqrtm(x); }, A);
}
} // namespace neml2::kernels
