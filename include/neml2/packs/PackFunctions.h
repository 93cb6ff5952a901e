// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/packs/sleef.h"
#include "neml2/kernels/Scalar.h"

#include <cmath>

namespace neml2::packs
{
template <int W>
struct Pack;

/**
 * The elementary functions of packs, four or eight lanes at once where SLEEF is there.
 *
 * A base of Pack, whose friends argument-dependent lookup finds: as of operators, either operand may be a number.
 */
template <int W>
struct PackFunctions : kernels::Component<Pack<W>>
{
  using Pack = packs::Pack<W>;
  using Half = packs::Pack<W / 2>;

  /// √a by the instruction: std::sqrt reports errors in errno, which keeps it out of vector code. By
  /// 16-byte parts, which all instruction sets have.
  NEML2_INLINE friend Pack sqrt(const Pack & a)
  {
#ifdef NEML2_SIMD
    if constexpr (W == 2)
      return Pack::of(__builtin_ia32_sqrtpd(a.v));
    else if constexpr (W == 4)
    {
      const auto lo = sqrt(Half::of(__builtin_shufflevector(a.v, a.v, 0, 1))),
                 hi = sqrt(Half::of(__builtin_shufflevector(a.v, a.v, 2, 3)));
      return Pack::of(__builtin_shufflevector(lo.v, hi.v, 0, 1, 2, 3));
    }
    else if constexpr (W == 8)
    {
      const auto lo = sqrt(Half::of(__builtin_shufflevector(a.v, a.v, 0, 1, 2, 3))),
                 hi = sqrt(Half::of(__builtin_shufflevector(a.v, a.v, 4, 5, 6, 7)));
      return Pack::of(__builtin_shufflevector(lo.v, hi.v, 0, 1, 2, 3, 4, 5, 6, 7));
    }
    else
#endif
      return lanewise(a, [](double x) { return std::sqrt(x); });
  }

  NEML2_INLINE friend Pack exp(const Pack & a)
  {
    return elementary(
        a, &sleef::Functions<W>::exp, [](double x) { return std::exp(x); }, sleef::of_exp);
  }
  NEML2_INLINE friend Pack expm1(const Pack & a)
  {
    return elementary(
        a, &sleef::Functions<W>::expm1, [](double x) { return std::expm1(x); }, sleef::of_exp);
  }
  NEML2_INLINE friend Pack log(const Pack & a)
  {
    return elementary(
        a, &sleef::Functions<W>::log, [](double x) { return std::log(x); }, sleef::of_log);
  }
  NEML2_INLINE friend Pack log1p(const Pack & a)
  {
    return elementary(
        a, &sleef::Functions<W>::log1p, [](double x) { return std::log1p(x); }, sleef::of_log);
  }
  NEML2_INLINE friend Pack log10(const Pack & a)
  {
    return elementary(
        a, &sleef::Functions<W>::log10, [](double x) { return std::log10(x); }, sleef::of_log);
  }
  NEML2_INLINE friend Pack sin(const Pack & a)
  {
    return elementary(
        a, &sleef::Functions<W>::sin, [](double x) { return std::sin(x); }, sleef::of_angle);
  }
  NEML2_INLINE friend Pack cos(const Pack & a)
  {
    return elementary(
        a, &sleef::Functions<W>::cos, [](double x) { return std::cos(x); }, sleef::of_angle);
  }
  NEML2_INLINE friend Pack tan(const Pack & a)
  {
    return elementary(
        a, &sleef::Functions<W>::tan, [](double x) { return std::tan(x); }, sleef::of_tan);
  }
  NEML2_INLINE friend Pack asin(const Pack & a)
  {
    return elementary(
        a, &sleef::Functions<W>::asin, [](double x) { return std::asin(x); }, sleef::of_arc);
  }
  NEML2_INLINE friend Pack acos(const Pack & a)
  {
    return elementary(
        a, &sleef::Functions<W>::acos, [](double x) { return std::acos(x); }, sleef::of_arc);
  }
  NEML2_INLINE friend Pack atan(const Pack & a)
  {
    return elementary(
        a, &sleef::Functions<W>::atan, [](double x) { return std::atan(x); }, sleef::everywhere);
  }
  NEML2_INLINE friend Pack sinh(const Pack & a)
  {
    return elementary(
        a, &sleef::Functions<W>::sinh, [](double x) { return std::sinh(x); }, sleef::of_sinh);
  }
  NEML2_INLINE friend Pack cosh(const Pack & a)
  {
    return elementary(
        a, &sleef::Functions<W>::cosh, [](double x) { return std::cosh(x); }, sleef::of_sinh);
  }
  NEML2_INLINE friend Pack tanh(const Pack & a)
  {
    return elementary(
        a, &sleef::Functions<W>::tanh, [](double x) { return std::tanh(x); }, sleef::of_tanh);
  }
  NEML2_INLINE friend Pack atanh(const Pack & a)
  {
    return elementary(
        a, &sleef::Functions<W>::atanh, [](double x) { return std::atanh(x); }, sleef::of_atanh);
  }
  NEML2_INLINE friend Pack cbrt(const Pack & a)
  {
    return elementary(
        a, &sleef::Functions<W>::cbrt, [](double x) { return std::cbrt(x); }, sleef::of_root);
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
        y, x, &sleef::Functions<W>::atan2, [](double s, double c) { return std::atan2(s, c); });
  }
  NEML2_INLINE friend Pack fmod(const Pack & a, const Pack & b)
  {
    return elementary<sleef::OfFmod>(
        a, b, &sleef::Functions<W>::fmod, [](double x, double y) { return std::fmod(x, y); });
  }
  NEML2_INLINE friend Pack pow(const Pack & a, const Pack & n)
  {
    return elementary<sleef::OfPow>(
        a, n, &sleef::Functions<W>::pow, [](double x, double y) { return std::pow(x, y); });
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

#ifdef NEML2_SLEEF
  template <class In, class F, class G, class... X>
  NEML2_INLINE static void at_lanes(const In & domain, F f, G one_by_one, Pack & r, const X &... x)
  {
    if constexpr (W == 4)
      sleef::apply_to_four(domain, f, one_by_one, r, x...);
    else
      sleef::apply_to_eight(domain, f, one_by_one, r, x...);
  }
#endif

  NEML2_INLINE static Pack elementary(const Pack & a,
                                      [[maybe_unused]] sleef::Unary<W> sleef::Functions<W>::*f,
                                      sleef::StdUnary one_by_one,
                                      [[maybe_unused]] const sleef::Domain & domain)
  {
#ifdef NEML2_SLEEF
    if constexpr (W >= 4)
      if (const auto at_once = sleef::functions<W>().*f)
      {
        Pack r;
        at_lanes(domain, at_once, one_by_one, r, a);
        return r;
      }
#endif
    return lanewise(a, one_by_one);
  }
  template <class Of>
  NEML2_INLINE static Pack elementary(const Pack & a,
                                      const Pack & b,
                                      [[maybe_unused]] sleef::Binary<W> sleef::Functions<W>::*f,
                                      sleef::StdBinary one_by_one)
  {
    Pack r;
#ifdef NEML2_SLEEF
    if constexpr (W >= 4)
      if (const auto at_once = sleef::functions<W>().*f)
      {
        at_lanes(Of(), at_once, one_by_one, r, a, b);
        return r;
      }
#endif
    for (int w = 0; w < W; w++)
      r.lane(w, one_by_one(a.lane(w), b.lane(w)));
    return r;
  }
};
} // namespace neml2::packs
