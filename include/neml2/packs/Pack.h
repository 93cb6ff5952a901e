// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Scalar.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

/**
 * Packs of rows are vectors of the compiler's vector extension on x86-64 with gcc or clang.
 *
 * Everywhere else, and without optimisation, where formulas are not inlined into the loop, a pack is
 * one number.
 */
#if defined(__x86_64__) && defined(__OPTIMIZE__) && defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define NEML2_SIMD
#endif
#endif

#include "neml2/packs/sleef.h"

namespace neml2::packs
{
template <int W>
struct Vector
{
  typedef double type __attribute__((vector_size(W * sizeof(double))));
  typedef int64_t mask __attribute__((vector_size(W * sizeof(double))));
};
template <>
struct Vector<1>
{
  using type = double;
  using mask = bool;
};

/// One truth value a lane: what comparing packs gives, and where() takes.
template <int W>
struct Mask
{
  typename Vector<W>::mask m;

  NEML2_INLINE Mask() : m{} {}
  NEML2_INLINE explicit Mask(const typename Vector<W>::mask & x) : m(x) {}
  NEML2_INLINE Mask(const Mask & other) : m(other.m) {}
  NEML2_INLINE Mask & operator=(const Mask & other)
  {
    m = other.m;
    return *this;
  }

  NEML2_INLINE friend Mask operator&(const Mask & a, const Mask & b) { return Mask(a.m & b.m); }
  NEML2_INLINE friend Mask operator|(const Mask & a, const Mask & b) { return Mask(a.m | b.m); }
  NEML2_INLINE friend Mask operator~(const Mask & a) { return Mask(a.m == Mask().m); }

  /// Whether it holds in any lane: what a loop may end by. What a lane computes must not depend on it.
  NEML2_INLINE friend bool any(const Mask & a)
  {
    if constexpr (W == 1)
      return a.m;
    else
    {
      int64_t m = a.m[0];
      for (int w = 1; w < W; w++)
        m |= a.m[w];
      return m != 0;
    }
  }
};

/**
 * One component of W rows, one a lane.
 *
 * The copy constructor is not trivial, so a pack is passed in memory whatever the target: a formula
 * that is not inlined into the loop is slow, never wrong. Plain numbers fill all lanes.
 */
template <int W>
struct Pack : kernels::Component<Pack<W>>
{
  using V = typename Vector<W>::type;
  static constexpr int width = W;

  V v;

  NEML2_INLINE Pack() {} // not set: see kernels::Unset
  NEML2_INLINE Pack(const Pack & other) : kernels::Component<Pack<W>>(), v(other.v) {}
  NEML2_INLINE Pack & operator=(const Pack & other)
  {
    v = other.v;
    return *this;
  }
  NEML2_INLINE Pack(double x) : v(x - V{}) {} // subtracting zero keeps the sign of -0

  NEML2_INLINE static Pack of(const V & x)
  {
    Pack p;
    p.v = x;
    return p;
  }
  /// W numbers side by side, wherever they lie.
  NEML2_INLINE static Pack load(const double * numbers)
  {
    Pack p;
    std::memcpy(&p.v, numbers, sizeof(V));
    return p;
  }
  NEML2_INLINE void store(double * numbers) const { std::memcpy(numbers, &v, sizeof(V)); }

  NEML2_INLINE double lane(int w) const
  {
    if constexpr (W == 1)
      return v;
    else
      return v[w];
  }
  NEML2_INLINE void lane(int w, double x)
  {
    if constexpr (W == 1)
      v = x;
    else
      v[w] = x;
  }

  // Friends, so that either operand may be a number.

  NEML2_INLINE friend Pack operator-(const Pack & a) { return of(-a.v); }
  NEML2_INLINE friend Pack operator+(const Pack & a, const Pack & b) { return of(a.v + b.v); }
  NEML2_INLINE friend Pack operator-(const Pack & a, const Pack & b) { return of(a.v - b.v); }
  NEML2_INLINE friend Pack operator*(const Pack & a, const Pack & b) { return of(a.v * b.v); }
  NEML2_INLINE friend Pack operator/(const Pack & a, const Pack & b) { return of(a.v / b.v); }

  NEML2_INLINE friend Mask<W> operator<(const Pack & a, const Pack & b)
  {
    return Mask<W>(a.v < b.v);
  }
  NEML2_INLINE friend Mask<W> operator>(const Pack & a, const Pack & b)
  {
    return Mask<W>(a.v > b.v);
  }
  NEML2_INLINE friend Mask<W> operator<=(const Pack & a, const Pack & b)
  {
    return Mask<W>(a.v <= b.v);
  }
  NEML2_INLINE friend Mask<W> operator>=(const Pack & a, const Pack & b)
  {
    return Mask<W>(a.v >= b.v);
  }

  /// a in the lanes where c holds, b in the others.
  NEML2_INLINE friend Pack where(const Mask<W> & c, const Pack & a, const Pack & b)
  {
    return of(c.m ? a.v : b.v);
  }

  /// The larger one; b where they are equal, NaN where one is NaN.
  NEML2_INLINE friend Pack maximum(const Pack & a, const Pack & b)
  {
    return of(((a.v > b.v) | (a.v != a.v)) ? a.v : b.v);
  }
  /// The smaller one; b where they are equal, NaN where one is NaN.
  NEML2_INLINE friend Pack minimum(const Pack & a, const Pack & b)
  {
    return of(((a.v < b.v) | (a.v != a.v)) ? a.v : b.v);
  }

  NEML2_INLINE friend Pack abs(const Pack & a)
  {
    if constexpr (W == 1)
      return of(std::fabs(a.v));
    else // all bits but the sign
      return of((V)((typename Vector<W>::mask)a.v & INT64_MAX));
  }

  /// √a by the instruction: std::sqrt reports errors in errno, which keeps it out of vector code. By
  /// 16-byte halves, which both instruction sets have.
  NEML2_INLINE friend Pack sqrt(const Pack & a)
  {
#ifdef NEML2_SIMD
    if constexpr (W == 2)
      return of(__builtin_ia32_sqrtpd(a.v));
    else if constexpr (W == 4)
    {
      const typename Vector<2>::type lo = __builtin_shufflevector(a.v, a.v, 0, 1),
                                     hi = __builtin_shufflevector(a.v, a.v, 2, 3);
      const typename Vector<2>::type x = __builtin_ia32_sqrtpd(lo), y = __builtin_ia32_sqrtpd(hi);
      return of(__builtin_shufflevector(x, y, 0, 1, 2, 3));
    }
    else
#endif
      return lanewise(a, [](double x) { return std::sqrt(x); });
  }

  // Elementary functions, four lanes at once where SLEEF is there.

  NEML2_INLINE friend Pack exp(const Pack & a)
  {
    return elementary(
        a, &sleef::Functions::exp, [](double x) { return std::exp(x); }, sleef::of_exp);
  }
  NEML2_INLINE friend Pack expm1(const Pack & a)
  {
    return elementary(
        a, &sleef::Functions::expm1, [](double x) { return std::expm1(x); }, sleef::of_exp);
  }
  NEML2_INLINE friend Pack log(const Pack & a)
  {
    return elementary(
        a, &sleef::Functions::log, [](double x) { return std::log(x); }, sleef::of_log);
  }
  NEML2_INLINE friend Pack log1p(const Pack & a)
  {
    return elementary(
        a, &sleef::Functions::log1p, [](double x) { return std::log1p(x); }, sleef::of_log);
  }
  NEML2_INLINE friend Pack log10(const Pack & a)
  {
    return elementary(
        a, &sleef::Functions::log10, [](double x) { return std::log10(x); }, sleef::of_log);
  }
  NEML2_INLINE friend Pack sin(const Pack & a)
  {
    return elementary(
        a, &sleef::Functions::sin, [](double x) { return std::sin(x); }, sleef::of_angle);
  }
  NEML2_INLINE friend Pack cos(const Pack & a)
  {
    return elementary(
        a, &sleef::Functions::cos, [](double x) { return std::cos(x); }, sleef::of_angle);
  }
  NEML2_INLINE friend Pack tan(const Pack & a)
  {
    return elementary(
        a, &sleef::Functions::tan, [](double x) { return std::tan(x); }, sleef::of_tan);
  }
  NEML2_INLINE friend Pack asin(const Pack & a)
  {
    return elementary(
        a, &sleef::Functions::asin, [](double x) { return std::asin(x); }, sleef::of_arc);
  }
  NEML2_INLINE friend Pack acos(const Pack & a)
  {
    return elementary(
        a, &sleef::Functions::acos, [](double x) { return std::acos(x); }, sleef::of_arc);
  }
  NEML2_INLINE friend Pack atan(const Pack & a)
  {
    return elementary(
        a, &sleef::Functions::atan, [](double x) { return std::atan(x); }, sleef::everywhere);
  }
  NEML2_INLINE friend Pack sinh(const Pack & a)
  {
    return elementary(
        a, &sleef::Functions::sinh, [](double x) { return std::sinh(x); }, sleef::of_sinh);
  }
  NEML2_INLINE friend Pack cosh(const Pack & a)
  {
    return elementary(
        a, &sleef::Functions::cosh, [](double x) { return std::cosh(x); }, sleef::of_sinh);
  }
  NEML2_INLINE friend Pack tanh(const Pack & a)
  {
    return elementary(
        a, &sleef::Functions::tanh, [](double x) { return std::tanh(x); }, sleef::of_tanh);
  }
  NEML2_INLINE friend Pack atanh(const Pack & a)
  {
    return elementary(
        a, &sleef::Functions::atanh, [](double x) { return std::atanh(x); }, sleef::of_atanh);
  }
  NEML2_INLINE friend Pack cbrt(const Pack & a)
  {
    return elementary(
        a, &sleef::Functions::cbrt, [](double x) { return std::cbrt(x); }, sleef::of_root);
  }
  NEML2_INLINE friend Pack asinh(const Pack & a)
  {
    return lanewise(a, [](double x) { return std::asinh(x); });
  }
  NEML2_INLINE friend Pack acosh(const Pack & a)
  {
    return lanewise(a, [](double x) { return std::acosh(x); });
  }
  NEML2_INLINE friend Pack atan2(const Pack & y, const Pack & x)
  {
    return elementary<sleef::OfAtan2>(
        y, x, &sleef::Functions::atan2, [](double s, double c) { return std::atan2(s, c); });
  }
  NEML2_INLINE friend Pack fmod(const Pack & a, const Pack & b)
  {
    return elementary<sleef::OfFmod>(
        a, b, &sleef::Functions::fmod, [](double x, double y) { return std::fmod(x, y); });
  }
  NEML2_INLINE friend Pack pow(const Pack & a, const Pack & n)
  {
    return elementary<sleef::OfPow>(
        a, n, &sleef::Functions::pow, [](double x, double y) { return std::pow(x, y); });
  }
  NEML2_INLINE friend Pack pow(const Pack & a, double n)
  {
    if (n == 2)
      return a * a;
    return pow(a, Pack(n));
  }

private:
  template <class F>
  NEML2_INLINE static Pack lanewise(const Pack & a, const F & f)
  {
    Pack r;
    for (int w = 0; w < W; w++)
      r.lane(w, f(a.lane(w)));
    return r;
  }

  NEML2_INLINE static Pack elementary(const Pack & a,
                                      [[maybe_unused]] sleef::Unary sleef::Functions::*f,
                                      sleef::StdUnary one_by_one,
                                      [[maybe_unused]] const sleef::Domain & domain)
  {
#ifdef NEML2_SLEEF
    if constexpr (W == 4)
      if (const auto four = sleef::functions().*f)
      {
        Pack r;
        sleef::apply(four, one_by_one, domain, a.v, r.v);
        return r;
      }
#endif
    return lanewise(a, one_by_one);
  }
  template <class Of>
  NEML2_INLINE static Pack elementary(const Pack & a,
                                      const Pack & b,
                                      [[maybe_unused]] sleef::Binary sleef::Functions::*f,
                                      sleef::StdBinary one_by_one)
  {
    Pack r;
#ifdef NEML2_SLEEF
    if constexpr (W == 4)
      if (const auto four = sleef::functions().*f)
      {
        sleef::apply<Of>(four, one_by_one, a.v, b.v, r.v);
        return r;
      }
#endif
    for (int w = 0; w < W; w++)
      r.lane(w, one_by_one(a.lane(w), b.lane(w)));
    return r;
  }
};
} // namespace neml2::packs
