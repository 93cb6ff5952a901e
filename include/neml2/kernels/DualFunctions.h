// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/NestedDual.h"

namespace neml2::kernels
{
/**
 * The elementary functions of duals: f(a) with f'(a).
 *
 * A base of Dual. Argument-dependent lookup finds the functions, which are friends. An argument of type T may be a plain number.
 */
template <class T, int N>
struct DualFunctions : NestedDual<T, N>
{
  using Dual = kernels::Dual<T, N>;

  NEML2_INLINE friend Dual sqrt(const Dual & a)
  {
    const T s = sqrt(a.x);
    return Dual::chain(s, T(0.5 / s), a);
  }
  /// √s of a sum of squares s; the derivative is 0 where s is 0.
  NEML2_INLINE friend Dual norm_of_square(const Dual & s)
  {
    const T n = norm_of_square(s.x);
    const auto is_zero = n <= 0.0;
    return Dual::chain(n, where(is_zero, T(0.0), T(0.5 / where(is_zero, T(1.0), n))), s);
  }
  NEML2_INLINE friend Dual abs(const Dual & a) { return Dual::chain(abs(a.x), sign(a.x), a); }
  NEML2_INLINE friend Dual exp(const Dual & a)
  {
    using std::exp;
    const T e = exp(a.x);
    return Dual::chain(e, e, a);
  }
  NEML2_INLINE friend Dual expm1(const Dual & a)
  {
    using std::expm1;
    const T e = expm1(a.x);
    return Dual::chain(e, T(e + 1.0), a);
  }
  NEML2_INLINE friend Dual log1p(const Dual & a)
  {
    using std::log1p;
    return Dual::chain(T(log1p(a.x)), T(1.0 / (1.0 + a.x)), a);
  }
  NEML2_INLINE friend Dual log(const Dual & a)
  {
    using std::log;
    return Dual::chain(T(log(a.x)), T(1.0 / a.x), a);
  }
  NEML2_INLINE friend Dual sin(const Dual & a)
  {
    using std::cos;
    using std::sin;
    return Dual::chain(T(sin(a.x)), T(cos(a.x)), a);
  }
  NEML2_INLINE friend Dual cos(const Dual & a)
  {
    using std::cos;
    using std::sin;
    return Dual::chain(T(cos(a.x)), T(-sin(a.x)), a);
  }
  NEML2_INLINE friend Dual tan(const Dual & a)
  {
    using std::tan;
    const T t = tan(a.x);
    return Dual::chain(t, T(1.0 + t * t), a);
  }
  NEML2_INLINE friend Dual asin(const Dual & a)
  {
    using std::asin;
    return Dual::chain(T(asin(a.x)), T(1.0 / sqrt(T((1.0 - a.x) * (1.0 + a.x)))), a);
  }
  NEML2_INLINE friend Dual acos(const Dual & a)
  {
    using std::acos;
    return Dual::chain(T(acos(a.x)), T(-1.0 / sqrt(T((1.0 - a.x) * (1.0 + a.x)))), a);
  }
  NEML2_INLINE friend Dual atan(const Dual & a)
  {
    using std::atan;
    return Dual::chain(T(atan(a.x)), T(1.0 / (1.0 + a.x * a.x)), a);
  }
  NEML2_INLINE friend Dual sinh(const Dual & a)
  {
    using std::cosh;
    using std::sinh;
    return Dual::chain(T(sinh(a.x)), T(cosh(a.x)), a);
  }
  NEML2_INLINE friend Dual cosh(const Dual & a)
  {
    using std::cosh;
    using std::sinh;
    return Dual::chain(T(cosh(a.x)), T(sinh(a.x)), a);
  }
  NEML2_INLINE friend Dual tanh(const Dual & a)
  {
    using std::tanh;
    const T t = tanh(a.x);
    return Dual::chain(t, T(1.0 - t * t), a);
  }
  NEML2_INLINE friend Dual asinh(const Dual & a)
  {
    using std::asinh;
    return Dual::chain(T(asinh(a.x)), T(1.0 / sqrt(T(a.x * a.x + 1.0))), a);
  }
  NEML2_INLINE friend Dual acosh(const Dual & a)
  {
    using std::acosh;
    return Dual::chain(T(acosh(a.x)), T(1.0 / sqrt(T(a.x * a.x - 1.0))), a);
  }
  NEML2_INLINE friend Dual atanh(const Dual & a)
  {
    using std::atanh;
    return Dual::chain(T(atanh(a.x)), T(1.0 / ((1.0 - a.x) * (1.0 + a.x))), a);
  }
  NEML2_INLINE friend Dual log10(const Dual & a)
  {
    using std::log10;
    return Dual::chain(T(log10(a.x)), T(0.4342944819032518 / a.x), a); // log10 e
  }
  NEML2_INLINE friend Dual cbrt(const Dual & a)
  {
    using std::cbrt;
    const T r = cbrt(a.x);
    return Dual::chain(r, T(1.0 / (3.0 * r * r)), a);
  }
  NEML2_INLINE friend Dual sign(const Dual & a) { return Dual(sign(a.x)); }
  NEML2_INLINE friend Dual macaulay(const Dual & a)
  {
    return Dual::chain(macaulay(a.x), heaviside(a.x), a);
  }
  /// The derivative of atan2(0, 0) is 0, as in LibTorch.
  NEML2_INLINE friend Dual atan2(const Dual & a, const Dual & b)
  {
    using std::atan2;
    using std::hypot;
    const T h = hypot(a.x, b.x);
    const auto is_zero = h <= 0.0;
    const T length = where(is_zero, T(1.0), h);
    return Dual::chain(
        T(atan2(a.x, b.x)), T(b.x / length / length), a, T(-a.x / length / length), b);
  }
  NEML2_INLINE friend Dual atan2(const Dual & a, const T & b) { return atan2(a, Dual(b)); }
  NEML2_INLINE friend Dual atan2(const T & a, const Dual & b) { return atan2(Dual(a), b); }

  /// √(a² + b²); its derivative where both are 0 is 0.
  NEML2_INLINE friend Dual hypot(const Dual & a, const Dual & b)
  {
    using std::hypot;
    const T h = hypot(a.x, b.x);
    const auto is_zero = h <= 0.0;
    const T length = where(is_zero, T(1.0), h);
    return Dual::chain(
        h, where(is_zero, T(0.0), T(a.x / length)), a, where(is_zero, T(0.0), T(b.x / length)), b);
  }
  NEML2_INLINE friend Dual hypot(const Dual & a, const T & b) { return hypot(a, Dual(b)); }
  NEML2_INLINE friend Dual hypot(const T & a, const Dual & b) { return hypot(Dual(a), b); }

  NEML2_INLINE friend Dual fmod(const Dual & a, const Dual & b)
  {
    using std::fmod;
    const T r = fmod(a.x, b.x);
    return Dual::chain(r, T(1.0), a, T((r - a.x) / b.x), b);
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
    const T p = pow(a.x, n);
    return Dual::chain(p, slope(a.x, n, p), a);
  }
  NEML2_INLINE friend Dual pow(const T & a, const Dual & n)
  {
    using std::pow;
    const T p = pow(a, n.x);
    return Dual::chain(p, growth(a, n.x, p), n);
  }
  NEML2_INLINE friend Dual pow(const Dual & a, const Dual & n)
  {
    using std::pow;
    const T p = pow(a.x, n.x);
    Dual r = Dual::chain(p, slope(a.x, n.x, p), a);
    const T by_exponent = growth(a.x, n.x, p);
    NEML2_UNROLL
    for (int i = 0; i < N; i++)
      r.d[i] = r.d[i] + of_exponent(by_exponent, n.d[i]);
    return r;
  }

private:
  /// ∂(a^n)/∂a for p = a^n; for n = 0 it is 0, even if a is 0. Where p is neither tiny nor huge, it is n p / a, which saves one power.
  /// Two kinds of numbers do not use this quotient: numbers with derivatives, because the derivatives of p and a would cancel,
  /// and recorded numbers, because they may get derivatives.
  NEML2_INLINE static T slope(const T & a, const T & n, [[maybe_unused]] const T & p)
  {
    using std::pow;
    const auto is_zero = equals_zero(n);
    const auto by_power = [&]() NEML2_INLINE_LAMBDA
    { return where(is_zero, T(0.0), T(n * pow(a, where(is_zero, T(1.0), T(n - 1.0))))); };
    if constexpr (std::is_same_v<T, typename plain_number<T>::type> && is_computed<T>)
    {
      const auto is_plain = (abs(p) >= 1e-290) & (abs(p) <= 1e290) & !is_zero;
      const T quotient = n * (where(is_plain, p, T(1.0)) / where(is_plain, a, T(1.0)));
      return all(is_plain) ? quotient : where(is_plain, quotient, by_power());
    }
    else
      return by_power();
  }
  /// growth(a, p) dn: NaN for a below 0, but 0 if dn is 0. Numbers with derivatives and recorded numbers have no special case
  /// dn = 0: their result is linear in dn.
  NEML2_INLINE static T of_exponent(const T & growth, const T & dn)
  {
    if constexpr (std::is_same_v<T, typename plain_number<T>::type> && is_computed<T>)
      return where(equals_zero(dn), T(0.0), T(growth * dn));
    else
      return growth * dn;
  }
  /// ∂(a^n)/∂n for p = a^n. It is 0 where a is 0 and n is not negative.
  NEML2_INLINE static T growth(const T & a, const T & n, const T & p)
  {
    using std::log;
    const auto is_zero = equals_zero(a) & (n >= 0.0);
    return where(is_zero, T(0.0), T(p * log(where(is_zero, T(1.0), a))));
  }
};
} // namespace neml2::kernels
