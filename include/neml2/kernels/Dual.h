// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Components.h"
#include "neml2/kernels/DualFunctions.h"

namespace neml2::kernels
{
/**
 * A number and its derivatives with respect to N variables: arithmetic on duals differentiates a formula exactly.
 *
 * T is a plain number, a pack of plain numbers or, for second derivatives, another dual. Operands that depend on no variable
 * stay plain numbers, and no derivatives are computed for them.
 *
 * Source: Clifford (1873), Proc. London Math. Soc. s1-4, 381-395.
 */
template <class T, int N>
struct Dual : DualFunctions<T, N>
{
  T x;    ///< value
  T d[N]; ///< derivatives

  NEML2_INLINE Dual() {} // leaves the members unset: see Unset
  NEML2_INLINE explicit Dual(const T & value) : x(value) { clear(); }
  template <class U, std::enable_if_t<std::is_arithmetic_v<U> && !std::is_same_v<U, T>, int> = 0>
  NEML2_INLINE explicit Dual(U value) : x(double(value))
  {
    clear();
  }
  template <class U, std::enable_if_t<is_within<U, T> && !std::is_arithmetic_v<U>, int> = 0>
  NEML2_INLINE explicit Dual(const U & value) : x(value)
  {
    clear();
  }

  // The operators are friends, so that argument-dependent lookup finds them, and an operand of type T may be a plain number.

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
    const T i = T(1.0 / b.x), q = a.x / b.x;
    return chain(q, i, a, T(-q * i), b);
  }
  NEML2_INLINE friend Dual operator/(const Dual & a, const T & b)
  {
    return chain(a.x / b, T(1.0 / b), a);
  }
  NEML2_INLINE friend Dual operator/(const T & a, const Dual & b)
  {
    const T q = a / b.x;
    return chain(q, T(-q / b.x), b);
  }

  // Comparisons compare the values only.

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

  NEML2_INLINE friend auto operator==(const Dual & a, const Dual & b) { return a.x == b.x; }
  NEML2_INLINE friend auto operator==(const Dual & a, const T & b) { return a.x == b; }
  NEML2_INLINE friend auto operator==(const T & a, const Dual & b) { return a == b.x; }
  NEML2_INLINE friend auto operator!=(const Dual & a, const Dual & b) { return a.x != b.x; }
  NEML2_INLINE friend auto operator!=(const Dual & a, const T & b) { return a.x != b; }
  NEML2_INLINE friend auto operator!=(const T & a, const Dual & b) { return a != b.x; }

  /// Selects values and derivatives; the side that is not taken may be infinite.
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

  // Building blocks of the functions of duals.

  /// A dual with the same derivatives and another value.
  NEML2_INLINE Dual with(const T & value) const
  {
    Dual r = *this;
    r.x = value;
    return r;
  }

  /// The dual of a value whose derivative with respect to a is pa.
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

private:
  NEML2_INLINE void clear()
  {
    NEML2_UNROLL
    for (int i = 0; i < N; i++)
      d[i] = T(0.0);
  }
};

/// The value and the derivatives of a dual. A plain number is its own value, and its derivatives are 0.
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

/// How many derivatives a number carries.
template <class T>
constexpr int partials = 0;
template <class T, int N>
constexpr int partials<Dual<T, N>> = N;

template <class T, int N>
struct plain_number<Dual<T, N>>
{
  using type = T;
};
template <class T, int N>
constexpr bool is_float32<Dual<T, N>, void> = is_float32<T>;

template <class T, int N>
struct innermost_number<Dual<T, N>> : innermost_number<T>
{
  static constexpr int levels = innermost_number<T>::levels + 1;
};
/// How many levels of derivatives a number has, and its value without derivatives.
template <class T>
constexpr int dual_levels = innermost_number<T>::levels;
template <class T>
NEML2_INLINE auto &
innermost(T & a)
{
  if constexpr (dual_levels<std::remove_const_t<T>> == 0)
    return a;
  else
    return innermost(a.x);
}

/// The value and the derivatives of a, which is an R or a number within an R. Such a number does not depend on the variables of R.
template <class R, class A>
NEML2_INLINE decltype(auto)
value_in(const A & a)
{
  if constexpr (std::is_same_v<R, A>)
    return value(a);
  else
    return (a);
}
template <class R, class A>
NEML2_INLINE auto
derivative_in(const A & a, [[maybe_unused]] int i)
{
  using T = typename plain_number<R>::type;
  if constexpr (std::is_same_v<R, A>)
    return T(derivative(a, i));
  else
    return T(0.0);
}

/// The values of a row of duals, and its derivatives with respect to variable k.
template <template <class> class R, class T, int N>
NEML2_INLINE R<T>
values_of(const R<Dual<T, N>> & a)
{
  R<T> r{Unset()};
  NEML2_UNROLL
  for (int i = 0; i < R<T>::n; i++)
    r[i] = a[i].x;
  return r;
}
template <template <class> class R, class T, int N>
NEML2_INLINE R<T>
partials_of(const R<Dual<T, N>> & a, int k)
{
  R<T> r{Unset()};
  NEML2_UNROLL
  for (int i = 0; i < R<T>::n; i++)
    r[i] = a[i].d[k];
  return r;
}
/// Sets the values of a row of duals, or its derivatives with respect to variable k.
template <template <class> class R, class T, int N>
NEML2_INLINE void
set_values(R<Dual<T, N>> & a, const R<T> & x)
{
  NEML2_UNROLL
  for (int i = 0; i < R<T>::n; i++)
    a[i].x = x[i];
}
template <template <class> class R, class T, int N>
NEML2_INLINE void
set_partials(R<Dual<T, N>> & a, int k, const R<T> & x)
{
  NEML2_UNROLL
  for (int i = 0; i < R<T>::n; i++)
    a[i].d[k] = x[i];
}
} // namespace neml2::kernels
