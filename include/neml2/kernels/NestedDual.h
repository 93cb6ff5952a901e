// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Scalar.h"

/// Duals of duals, for derivatives of derivatives: their arithmetic with the numbers within them.
namespace neml2::kernels
{
template <class T, int N>
struct Dual;

/// Whether U is the type of a number within the dual T. Such a number does not depend on the variables of T.
template <class U, class T>
constexpr bool is_within = false;
template <class U, class T, int N>
constexpr bool is_within<U, Dual<T, N>> =
    std::is_arithmetic_v<U> || std::is_same_v<U, T> || is_within<U, T>;

/// The base of Dual. It is empty if T is not a dual, because then the operators of Dual are enough: they accept a T, and plain numbers
/// convert to T.
template <class T, int N>
struct NestedDual : Component<Dual<T, N>>
{
};
template <class S, int M, int N>
struct NestedDual<Dual<S, M>, N> : Component<Dual<Dual<S, M>, N>>
{
  using T = Dual<S, M>;
  using D = Dual<T, N>;
  template <class U>
  using if_within = std::enable_if_t<is_within<U, T>, int>;

  template <class U, if_within<U> = 0>
  NEML2_INLINE friend D operator+(const D & a, const U & b)
  {
    return a.with(a.x + b);
  }
  template <class U, if_within<U> = 0>
  NEML2_INLINE friend D operator+(const U & a, const D & b)
  {
    return b.with(a + b.x);
  }
  template <class U, if_within<U> = 0>
  NEML2_INLINE friend D operator-(const D & a, const U & b)
  {
    return a.with(a.x - b);
  }
  template <class U, if_within<U> = 0>
  NEML2_INLINE friend D operator-(const U & a, const D & b)
  {
    return (-b).with(a - b.x);
  }
  template <class U, if_within<U> = 0>
  NEML2_INLINE friend D operator*(const D & a, const U & b)
  {
    D r;
    r.x = a.x * b;
    NEML2_UNROLL
    for (int i = 0; i < N; i++)
      r.d[i] = a.d[i] * b;
    return r;
  }
  template <class U, if_within<U> = 0>
  NEML2_INLINE friend D operator*(const U & a, const D & b)
  {
    return b * a;
  }
  template <class U, if_within<U> = 0>
  NEML2_INLINE friend D operator/(const D & a, const U & b)
  {
    D r = a * (1.0 / b);
    r.x = a.x / b;
    return r;
  }
  template <class U, if_within<U> = 0>
  NEML2_INLINE friend D operator/(const U & a, const D & b)
  {
    const T q = a / b.x;
    return D::chain(q, T(-q / b.x), b);
  }

  template <class U, if_within<U> = 0>
  NEML2_INLINE friend auto operator<(const D & a, const U & b)
  {
    return a.x < b;
  }
  template <class U, if_within<U> = 0>
  NEML2_INLINE friend auto operator<(const U & a, const D & b)
  {
    return a < b.x;
  }
  template <class U, if_within<U> = 0>
  NEML2_INLINE friend auto operator>(const D & a, const U & b)
  {
    return a.x > b;
  }
  template <class U, if_within<U> = 0>
  NEML2_INLINE friend auto operator>(const U & a, const D & b)
  {
    return a > b.x;
  }
  template <class U, if_within<U> = 0>
  NEML2_INLINE friend auto operator<=(const D & a, const U & b)
  {
    return a.x <= b;
  }
  template <class U, if_within<U> = 0>
  NEML2_INLINE friend auto operator<=(const U & a, const D & b)
  {
    return a <= b.x;
  }
  template <class U, if_within<U> = 0>
  NEML2_INLINE friend auto operator>=(const D & a, const U & b)
  {
    return a.x >= b;
  }
  template <class U, if_within<U> = 0>
  NEML2_INLINE friend auto operator>=(const U & a, const D & b)
  {
    return a >= b.x;
  }
  template <class U, if_within<U> = 0>
  NEML2_INLINE friend auto operator==(const D & a, const U & b)
  {
    return a.x == b;
  }
  template <class U, if_within<U> = 0>
  NEML2_INLINE friend auto operator==(const U & a, const D & b)
  {
    return a == b.x;
  }
  template <class U, if_within<U> = 0>
  NEML2_INLINE friend auto operator!=(const D & a, const U & b)
  {
    return a.x != b;
  }
  template <class U, if_within<U> = 0>
  NEML2_INLINE friend auto operator!=(const U & a, const D & b)
  {
    return a != b.x;
  }

  template <class C, class U, if_within<U> = 0>
  NEML2_INLINE friend D where(const C & c, const D & a, const U & b)
  {
    return where(c, a, D(b));
  }
  template <class C, class U, if_within<U> = 0>
  NEML2_INLINE friend D where(const C & c, const U & a, const D & b)
  {
    return where(c, D(a), b);
  }
  template <class U, if_within<U> = 0>
  NEML2_INLINE friend D maximum(const D & a, const U & b)
  {
    return maximum(a, D(b));
  }
  template <class U, if_within<U> = 0>
  NEML2_INLINE friend D maximum(const U & a, const D & b)
  {
    return maximum(D(a), b);
  }
  template <class U, if_within<U> = 0>
  NEML2_INLINE friend D minimum(const D & a, const U & b)
  {
    return minimum(a, D(b));
  }
  template <class U, if_within<U> = 0>
  NEML2_INLINE friend D minimum(const U & a, const D & b)
  {
    return minimum(D(a), b);
  }

  template <class U, if_within<U> = 0>
  NEML2_INLINE friend D atan2(const D & a, const U & b)
  {
    return atan2(a, D(b));
  }
  template <class U, if_within<U> = 0>
  NEML2_INLINE friend D atan2(const U & a, const D & b)
  {
    return atan2(D(a), b);
  }
  template <class U, if_within<U> = 0>
  NEML2_INLINE friend D hypot(const D & a, const U & b)
  {
    return hypot(a, D(b));
  }
  template <class U, if_within<U> = 0>
  NEML2_INLINE friend D hypot(const U & a, const D & b)
  {
    return hypot(D(a), b);
  }
  template <class U, if_within<U> = 0>
  NEML2_INLINE friend D fmod(const D & a, const U & b)
  {
    using std::fmod;
    return a.with(fmod(a.x, b));
  }
  template <class U, if_within<U> = 0>
  NEML2_INLINE friend D fmod(const U & a, const D & b)
  {
    return fmod(D(a), b);
  }
  /// An exponent without derivatives needs no logarithm of the base, so the base may be negative.
  template <class U, if_within<U> = 0>
  NEML2_INLINE friend D pow(const D & a, const U & n)
  {
    if constexpr (std::is_arithmetic_v<U>)
      return D::chain(
          pow(a.x, double(n)), n == 0 ? T(0.0) : T(double(n) * pow(a.x, double(n) - 1.0)), a);
    else
    {
      const auto is_zero = equals_zero(n);
      const U less = where(is_zero, U(1.0), U(n - 1.0));
      return D::chain(T(pow(a.x, n)), where(is_zero, T(0.0), T(n * pow(a.x, less))), a);
    }
  }
  template <class U, if_within<U> = 0>
  NEML2_INLINE friend D pow(const U & a, const D & n)
  {
    return pow(T(a), n);
  }
};
} // namespace neml2::kernels
