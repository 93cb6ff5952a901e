// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/spectral.h"

#include <cmath>
#include <limits>

/**
 * Functions of eigenvalues, from which functions of symmetric tensors are computed. Each class has the tensor that is decomposed,
 * the values f(l), the slopes f'(l), the divided differences f[l, m] = (f(m) - f(l)) / (m - l) for l <= m, equal to
 * the slope where l = m, and the second divided differences f[l, m, n] = (f[m, n] - f[l, m]) / (n - l) for l
 * <= m <= n, equal to f''(l) / 2 where l = n.
 *
 * The formulas for divided differences have no cancellation, so that no digits are lost between nearly
 * equal eigenvalues.
 */
namespace neml2::kernels
{
/// a / b, or the limit where both are 0.
template <class T>
NEML2_INLINE T
ratio_or(const T & a, const T & b, double limit)
{
  const auto is_zero = equals_zero(b);
  return where(is_zero, T(limit), T(a / where(is_zero, T(1.0), b)));
}

/// a where the condition holds, otherwise NaN.
template <class C, class T>
NEML2_INLINE T
only_where(const C & c, const T & a)
{
  return where(c, a, T(std::numeric_limits<double>::quiet_NaN()));
}

/**
 * The second divided difference of Σ_k c_k x^(k + 2) at l, m and n, whose mean is 0. It is Σ_k c_k h_k(l, m, n), where h_k is the sum
 * of all products of k factors among l, m and n. c_0 is given, and next(k) is c_k / c_(k-1).
 * Source: de Boor (2005), Surveys in Approximation Theory 1, 46-69, eq. 36.
 */
template <class T, class Next>
NEML2_INLINE T
second_difference_of_series(const T & l, const T & m, const T & n, const T & c_0, const Next & next)
{
  const T squares = T(-(l * m + m * n + n * l)), cubes = T(l * m * n);
  T c = c_0, sum = c_0, h_3(0.0), h_2(1.0), h_1(0.0); // h_(k-3), h_(k-2), h_(k-1)
  c = T(c * next(1));
  NEML2_KEEP_LOOP
  for (int k = 2; k < 20; k++)
  {
    const T h = T(squares * h_2 + cubes * h_3);
    c = T(c * next(k));
    sum = T(sum + c * h);
    h_3 = h_2;
    h_2 = h_1;
    h_1 = h;
  }
  return sum;
}

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
  /// e^m (1 - e^-d) / d with d = m - l; it overflows only if e^m overflows
  NEML2_INLINE T quotient(const T & l, const T & m, const T &, const T & g) const
  {
    using std::expm1;
    const T d = T(m - l);
    return T(g * ratio_or(T(-expm1(T(-d))), d, 1.0));
  }
  /// The second divided difference at l. `first` is the divided difference of the first two eigenvalues,
  /// `last` of the last two. The second argument, which is unused here, has the values f.
  NEML2_INLINE T second(const Vec<T> & l, const Vec<T> &, const T & first, const T & last) const
  {
    using std::exp;
    const T d = T(l[2] - l[0]), mean = T((l[0] + l[1] + l[2]) / 3.0);
    const auto is_near = d < 0.25;
    const T near = second_difference_of_series(where(is_near, T(l[0] - mean), T(0.0)),
                                               where(is_near, T(l[1] - mean), T(0.0)),
                                               where(is_near, T(l[2] - mean), T(0.0)),
                                               T(0.5 * exp(mean)),
                                               [](int k) { return 1.0 / (k + 2); });
    return where(is_near, near, T((last - first) / where(is_near, T(1.0), d)));
  }
};

/// Decomposes s - I where s is close to I: log(1 + x) then has the relative accuracy of x, not of s.
template <class T>
struct Logarithm
{
  using Mask = decltype(std::declval<T>() < std::declval<T>());
  Mask is_near;
  SR2<T> decomposed;

  NEML2_INLINE explicit Logarithm(const SR2<T> & s) : Logarithm(s, minus_identity(s)) {}
  /// The logarithm of s, for callers that know s - I more precisely than the subtraction would give it.
  NEML2_INLINE Logarithm(const SR2<T> & s, const SR2<T> & less)
    : is_near(norm_sq(less) < 0.25), decomposed(where(is_near, less, s))
  {
  }

  NEML2_INLINE T value(const T & l) const
  {
    using std::log1p;
    return where(is_near, T(log1p(where(is_near, l, T(0.0)))), log_of(where(is_near, T(1.0), l)));
  }
  NEML2_INLINE T slope(const T & l, const T & f) const { return T((1.0 + 0.0 * f) / plain(l)); }
  /// log(1 + x) / x / l with x = (m - l) / l; (g - f) / (m - l) where x is large
  NEML2_INLINE T quotient(const T & l, const T & m, const T & f, const T & g) const
  {
    using std::log1p;
    const T d = T(m - l), x = T(d / plain(l));
    const auto is_small = x < 1.0;
    const T y = where(is_small, x, T(1.0));
    const T near = T(ratio_or(T(log1p(y)), y, 1.0) / plain(l));
    return where(is_small, T(near + 0.0 * (f + g)), T((g - f) / where(is_small, T(1.0), d)));
  }
  NEML2_INLINE T second(const Vec<T> & l, const Vec<T> & f, const T & first, const T & last) const
  {
    const T d = T(l[2] - l[0]), mean = T((l[0] + l[1] + l[2]) / 3.0), M = plain(mean);
    const auto is_close = d < 0.15 * M;
    const T over = T(1.0 / where(is_close, M, T(1.0)));
    const auto relative = [&](int i) NEML2_INLINE_LAMBDA
    { return where(is_close, T((l[i] - mean) * over), T(0.0)); };
    const T near = second_difference_of_series(relative(0),
                                               relative(1),
                                               relative(2),
                                               T(-0.5 * over * over),
                                               [](int k) { return -(k + 1.0) / (k + 2.0); });
    return where(is_close,
                 T(near + 0.0 * (f[0] + f[1] + f[2])),
                 T((last - first) / where(is_close, T(1.0), d)));
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
  /// -1 / ((√l + √m) (√m + √n) (√n + √l))
  NEML2_INLINE T second(const Vec<T> &, const Vec<T> & f, const T &, const T &) const
  {
    return T(-1.0 / ((f[0] + f[1]) * (f[1] + f[2]) * (f[2] + f[0])));
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
  /// ± b^p (1 - e^(-|p| L)) / (m - l) with L = log(m / l), where b is the eigenvalue with the larger power
  NEML2_INLINE T quotient(const T & l, const T & m, const T & f, const T & g) const
  {
    using std::expm1;
    using std::log1p;
    const T d = T(m - l), x = T(d / l);
    const auto is_small = x < 1.0;
    const T L = where(is_small,
                      T(log1p(where(is_small, x, T(0.0)))),
                      T(Logarithm<T>::log_of(m) - Logarithm<T>::log_of(l)));
    const auto falls = exponent < 0.0;
    const T change = T(-expm1(T(where(falls, exponent, T(-exponent)) * L)));
    const T larger = where(falls, T(-f), g);
    const auto is_zero = equals_zero(d);
    return where(is_zero, slope(l, f), T(larger * change / where(is_zero, T(1.0), d)));
  }
  NEML2_INLINE T second(const Vec<T> & l, const Vec<T> & f, const T & first, const T & last) const
  {
    using std::pow;
    const T & p = exponent;
    const T d = T(l[2] - l[0]), M = T((l[0] + l[1] + l[2]) / 3.0);
    const auto is_close = d * (1.0 + abs(p)) < 0.15 * M;
    const T mean = where(is_close, M, T(1.0)), over = T(1.0 / mean);
    const auto relative = [&](int i) NEML2_INLINE_LAMBDA
    { return where(is_close, T((l[i] - M) * over), T(0.0)); };
    const T near = second_difference_of_series(relative(0),
                                               relative(1),
                                               relative(2),
                                               T(0.5 * p * (p - 1.0) * pow(mean, p) * over * over),
                                               [&](int k) NEML2_INLINE_LAMBDA
                                               { return T((p - (k + 1.0)) / (k + 2.0)); });
    return where(is_close,
                 T(near + 0.0 * (f[0] + f[1] + f[2])),
                 T((last - first) / where(is_close, T(1.0), d)));
  }
};
} // namespace neml2::kernels
