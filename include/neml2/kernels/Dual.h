// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Scalar.h"

namespace neml2::kernels
{
/**
 * A number and its derivatives by N variables: arithmetic on duals differentiates a formula exactly.
 *
 * T is a plain number or a pack of them. Operands that depend on no variable stay plain numbers, and
 * cost no derivative.
 *
 * Source: Clifford (1873), Proc. London Math. Soc. s1-4, 381-395.
 */
template <class T, int N>
struct Dual : Component<Dual<T, N>>
{
  T x;    ///< value
  T d[N]; ///< derivatives

  NEML2_INLINE Dual() {} // not set: see Unset
  NEML2_INLINE explicit Dual(const T & value) : x(value) { clear(); }
  template <class U, std::enable_if_t<std::is_arithmetic_v<U> && !std::is_same_v<U, T>, int> = 0>
  NEML2_INLINE explicit Dual(U value) : x(double(value))
  {
    clear();
  }

  // Friends, so that argument-dependent lookup finds them, and T may be given as a number.

  NEML2_INLINE friend Dual operator-(const Dual & a)
  {
    Dual r;
    r.x = -a.x;
    NEML2_UNROLL
    for (int i = 0; i < N; i++)
      r.d[i] = -a.d[i];
    return r;
  }

  NEML2_INLINE friend Dual operator+(const Dual & a, const Dual & b)
  {
    Dual r;
    r.x = a.x + b.x;
    NEML2_UNROLL
    for (int i = 0; i < N; i++)
      r.d[i] = a.d[i] + b.d[i];
    return r;
  }
  NEML2_INLINE friend Dual operator+(const Dual & a, const T & b) { return a.with(a.x + b); }
  NEML2_INLINE friend Dual operator+(const T & a, const Dual & b) { return b.with(a + b.x); }

  NEML2_INLINE friend Dual operator-(const Dual & a, const Dual & b)
  {
    Dual r;
    r.x = a.x - b.x;
    NEML2_UNROLL
    for (int i = 0; i < N; i++)
      r.d[i] = a.d[i] - b.d[i];
    return r;
  }
  NEML2_INLINE friend Dual operator-(const Dual & a, const T & b) { return a.with(a.x - b); }
  NEML2_INLINE friend Dual operator-(const T & a, const Dual & b) { return (-b).with(a - b.x); }

  NEML2_INLINE friend Dual operator*(const Dual & a, const Dual & b)
  {
    return chain(a.x * b.x, b.x, a, a.x, b);
  }
  NEML2_INLINE friend Dual operator*(const Dual & a, const T & b) { return chain(a.x * b, b, a); }
  NEML2_INLINE friend Dual operator*(const T & a, const Dual & b) { return chain(a * b.x, a, b); }

  NEML2_INLINE friend Dual operator/(const Dual & a, const Dual & b)
  {
    const T i = T(1.0 / b.x), q = a.x * i;
    return chain(q, i, a, T(-q * i), b);
  }
  NEML2_INLINE friend Dual operator/(const Dual & a, const T & b)
  {
    const T i = T(1.0 / b);
    return chain(a.x * i, i, a);
  }
  NEML2_INLINE friend Dual operator/(const T & a, const Dual & b)
  {
    const T i = T(1.0 / b.x), q = a * i;
    return chain(q, T(-q * i), b);
  }

  // Comparisons are those of the values.

  NEML2_INLINE friend auto operator<(const Dual & a, const Dual & b) { return a.x < b.x; }
  NEML2_INLINE friend auto operator<(const Dual & a, const T & b) { return a.x < b; }
  NEML2_INLINE friend auto operator<(const T & a, const Dual & b) { return a < b.x; }
  NEML2_INLINE friend auto operator>(const Dual & a, const Dual & b) { return a.x > b.x; }
  NEML2_INLINE friend auto operator>(const Dual & a, const T & b) { return a.x > b; }
  NEML2_INLINE friend auto operator>(const T & a, const Dual & b) { return a > b.x; }
  NEML2_INLINE friend auto operator<=(const Dual & a, const Dual & b) { return a.x <= b.x; }
  NEML2_INLINE friend auto operator<=(const Dual & a, const T & b) { return a.x <= b; }
  NEML2_INLINE friend auto operator<=(const T & a, const Dual & b) { return a <= b.x; }
  NEML2_INLINE friend auto operator>=(const Dual & a, const Dual & b) { return a.x >= b.x; }
  NEML2_INLINE friend auto operator>=(const Dual & a, const T & b) { return a.x >= b; }
  NEML2_INLINE friend auto operator>=(const T & a, const Dual & b) { return a >= b.x; }

  /// Selects values and derivatives: those not taken may be infinite.
  template <class C>
  NEML2_INLINE friend Dual where(const C & c, const Dual & a, const Dual & b)
  {
    Dual r;
    r.x = where(c, a.x, b.x);
    NEML2_UNROLL
    for (int i = 0; i < N; i++)
      r.d[i] = where(c, a.d[i], b.d[i]);
    return r;
  }
  template <class C>
  NEML2_INLINE friend Dual where(const C & c, const Dual & a, const T & b)
  {
    return where(c, a, Dual(b));
  }
  template <class C>
  NEML2_INLINE friend Dual where(const C & c, const T & a, const Dual & b)
  {
    return where(c, Dual(a), b);
  }

  NEML2_INLINE friend Dual maximum(const Dual & a, const Dual & b)
  {
    return where(a.x > b.x, a, b).with(maximum(a.x, b.x));
  }
  NEML2_INLINE friend Dual maximum(const Dual & a, const T & b) { return maximum(a, Dual(b)); }
  NEML2_INLINE friend Dual maximum(const T & a, const Dual & b) { return maximum(Dual(a), b); }
  NEML2_INLINE friend Dual minimum(const Dual & a, const Dual & b)
  {
    return where(a.x < b.x, a, b).with(minimum(a.x, b.x));
  }
  NEML2_INLINE friend Dual minimum(const Dual & a, const T & b) { return minimum(a, Dual(b)); }
  NEML2_INLINE friend Dual minimum(const T & a, const Dual & b) { return minimum(Dual(a), b); }

  // f(a) with f'(a)

  NEML2_INLINE friend Dual sqrt(const Dual & a)
  {
    const T s = sqrt(a.x);
    return chain(s, T(0.5 / s), a);
  }
  /// √s of a sum of squares: its derivative where s is 0 is 0.
  NEML2_INLINE friend Dual norm_of_square(const Dual & s)
  {
    const T n = sqrt(s.x);
    const auto is_zero = n <= 0.0;
    return chain(n, where(is_zero, T(0.0), T(0.5 / where(is_zero, T(1.0), n))), s);
  }
  NEML2_INLINE friend Dual abs(const Dual & a) { return chain(abs(a.x), sign(a.x), a); }
  NEML2_INLINE friend Dual exp(const Dual & a)
  {
    using std::exp;
    const T e = exp(a.x);
    return chain(e, e, a);
  }
  NEML2_INLINE friend Dual expm1(const Dual & a)
  {
    using std::expm1;
    const T e = expm1(a.x);
    return chain(e, T(e + 1.0), a);
  }
  NEML2_INLINE friend Dual log1p(const Dual & a)
  {
    using std::log1p;
    return chain(T(log1p(a.x)), T(1.0 / (1.0 + a.x)), a);
  }
  NEML2_INLINE friend Dual log(const Dual & a)
  {
    using std::log;
    return chain(T(log(a.x)), T(1.0 / a.x), a);
  }
  NEML2_INLINE friend Dual sin(const Dual & a)
  {
    using std::cos;
    using std::sin;
    return chain(T(sin(a.x)), T(cos(a.x)), a);
  }
  NEML2_INLINE friend Dual cos(const Dual & a)
  {
    using std::cos;
    using std::sin;
    return chain(T(cos(a.x)), T(-sin(a.x)), a);
  }
  NEML2_INLINE friend Dual tan(const Dual & a)
  {
    using std::tan;
    const T t = tan(a.x);
    return chain(t, T(1.0 + t * t), a);
  }
  NEML2_INLINE friend Dual asin(const Dual & a)
  {
    using std::asin;
    return chain(T(asin(a.x)), T(1.0 / sqrt(T(1.0 - a.x * a.x))), a);
  }
  NEML2_INLINE friend Dual acos(const Dual & a)
  {
    using std::acos;
    return chain(T(acos(a.x)), T(-1.0 / sqrt(T(1.0 - a.x * a.x))), a);
  }
  NEML2_INLINE friend Dual atan(const Dual & a)
  {
    using std::atan;
    return chain(T(atan(a.x)), T(1.0 / (1.0 + a.x * a.x)), a);
  }
  NEML2_INLINE friend Dual sinh(const Dual & a)
  {
    using std::cosh;
    using std::sinh;
    return chain(T(sinh(a.x)), T(cosh(a.x)), a);
  }
  NEML2_INLINE friend Dual cosh(const Dual & a)
  {
    using std::cosh;
    using std::sinh;
    return chain(T(cosh(a.x)), T(sinh(a.x)), a);
  }
  NEML2_INLINE friend Dual tanh(const Dual & a)
  {
    using std::tanh;
    const T t = tanh(a.x);
    return chain(t, T(1.0 - t * t), a);
  }
  NEML2_INLINE friend Dual asinh(const Dual & a)
  {
    using std::asinh;
    return chain(T(asinh(a.x)), T(1.0 / sqrt(T(a.x * a.x + 1.0))), a);
  }
  NEML2_INLINE friend Dual acosh(const Dual & a)
  {
    using std::acosh;
    return chain(T(acosh(a.x)), T(1.0 / sqrt(T(a.x * a.x - 1.0))), a);
  }
  NEML2_INLINE friend Dual atanh(const Dual & a)
  {
    using std::atanh;
    return chain(T(atanh(a.x)), T(1.0 / (1.0 - a.x * a.x)), a);
  }
  NEML2_INLINE friend Dual log10(const Dual & a)
  {
    using std::log10;
    return chain(T(log10(a.x)), T(0.4342944819032518 / a.x), a); // log10 e
  }
  NEML2_INLINE friend Dual cbrt(const Dual & a)
  {
    using std::cbrt;
    const T r = cbrt(a.x);
    return chain(r, T(1.0 / (3.0 * r * r)), a);
  }
  NEML2_INLINE friend Dual sign(const Dual & a) { return Dual(sign(a.x)); }
  NEML2_INLINE friend Dual macaulay(const Dual & a)
  {
    return chain(macaulay(a.x), heaviside(a.x), a);
  }
  NEML2_INLINE friend Dual atan2(const Dual & a, const Dual & b)
  {
    using std::atan2;
    const T i = T(1.0 / (a.x * a.x + b.x * b.x));
    return chain(T(atan2(a.x, b.x)), T(b.x * i), a, T(-a.x * i), b);
  }
  NEML2_INLINE friend Dual atan2(const Dual & a, const T & b) { return atan2(a, Dual(b)); }
  NEML2_INLINE friend Dual atan2(const T & a, const Dual & b) { return atan2(Dual(a), b); }

  NEML2_INLINE friend Dual fmod(const Dual & a, const Dual & b)
  {
    using std::fmod;
    const T r = fmod(a.x, b.x);
    return chain(r, T(1.0), a, T((r - a.x) / b.x), b);
  }
  NEML2_INLINE friend Dual fmod(const Dual & a, const T & b)
  {
    using std::fmod;
    return a.with(fmod(a.x, b));
  }
  NEML2_INLINE friend Dual fmod(const T & a, const Dual & b) { return fmod(Dual(a), b); }

  NEML2_INLINE friend Dual pow(const Dual & a, const T & n)
  {
    using std::pow;
    return chain(T(pow(a.x, n)), slope(a.x, n), a);
  }
  NEML2_INLINE friend Dual pow(const T & a, const Dual & n)
  {
    using std::pow;
    const T p = pow(a, n.x);
    return chain(p, growth(a, p), n);
  }
  NEML2_INLINE friend Dual pow(const Dual & a, const Dual & n)
  {
    using std::pow;
    const T p = pow(a.x, n.x);
    return chain(p, slope(a.x, n.x), a, growth(a.x, p), n);
  }

private:
  NEML2_INLINE void clear()
  {
    NEML2_UNROLL
    for (int i = 0; i < N; i++)
      d[i] = T(0.0);
  }

  /// These derivatives with another value.
  NEML2_INLINE Dual with(const T & value) const
  {
    Dual r = *this;
    r.x = value;
    return r;
  }

  /// A value whose derivative by a is pa.
  NEML2_INLINE static Dual chain(const T & value, const T & pa, const Dual & a)
  {
    Dual r;
    r.x = value;
    NEML2_UNROLL
    for (int i = 0; i < N; i++)
      r.d[i] = pa * a.d[i];
    return r;
  }
  NEML2_INLINE static Dual
  chain(const T & value, const T & pa, const Dual & a, const T & pb, const Dual & b)
  {
    Dual r;
    r.x = value;
    NEML2_UNROLL
    for (int i = 0; i < N; i++)
      r.d[i] = pa * a.d[i] + pb * b.d[i];
    return r;
  }

  /// ∂(a^n)/∂a, 0 for n = 0 also where a is 0.
  NEML2_INLINE static T slope(const T & a, const T & n)
  {
    using std::pow;
    const auto is_zero = (n <= 0.0) & (n >= 0.0);
    return where(is_zero, T(0.0), T(n * pow(a, where(is_zero, T(1.0), T(n - 1.0)))));
  }
  /// ∂(a^n)/∂n of p = a^n, 0 where a is 0.
  NEML2_INLINE static T growth(const T & a, const T & p)
  {
    using std::log;
    const auto is_zero = (a <= 0.0) & (a >= 0.0);
    return where(is_zero, T(0.0), T(p * log(where(is_zero, T(1.0), a))));
  }
};

/// The value and the derivatives of what may be a dual, or a number that depends on no variable.
template <class T, int N>
NEML2_INLINE const T &
value(const Dual<T, N> & a)
{
  return a.x;
}
template <class T>
NEML2_INLINE const T &
value(const T & a)
{
  return a;
}
template <class T, int N>
NEML2_INLINE const T &
derivative(const Dual<T, N> & a, int i)
{
  return a.d[i];
}
template <class T>
NEML2_INLINE T
derivative(const T &, int)
{
  return T(0.0);
}

/// The type of the value of what may be a dual.
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
} // namespace neml2::kernels
