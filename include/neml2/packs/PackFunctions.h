// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/packs/sleef.h"
#include "neml2/kernels/Scalar.h"

#include <cmath>

namespace neml2::packs
{
template <int W, class E>
struct Pack;

/**
 * The elementary functions of packs, all lanes at once where SLEEF is there.
 *
 * A base of Pack, whose friends argument-dependent lookup finds: as of operators, either operand may be a number.
 */
template <int W, class E>
struct PackFunctions : kernels::Component<Pack<W, E>>
{
  using Pack = packs::Pack<W, E>;
  using Half = packs::Pack<W / 2, E>;
  using Functions = sleef::Functions<W, E>;
  using Domains = sleef::Domains<E>;

  /// √a by the instruction: std::sqrt reports errors in errno, which keeps it out of vector code. By
  /// 16-byte parts, which all instruction sets have.
  NEML2_INLINE friend Pack sqrt(const Pack & a)
  {
#ifdef NEML2_SIMD
    if constexpr (W * sizeof(E) == 16)
    {
      if constexpr (W == 2)
        return Pack::of(__builtin_ia32_sqrtpd(a.v));
      else
        return Pack::of(__builtin_ia32_sqrtps(a.v));
    }
    else if constexpr (W > 1)
    {
      Half lo, hi;
      split_halves<W>(a.v, lo.v, hi.v);
      lo = sqrt(lo);
      hi = sqrt(hi);
      Pack r;
      join_halves<W>(lo.v, hi.v, r.v);
      return r;
    }
    else
#endif
      return lanewise(a, [](E x) { return std::sqrt(x); });
  }

  NEML2_INLINE friend Pack exp(const Pack & a)
  {
    return elementary(
        a, &Functions::exp, [](E x) { return std::exp(x); }, Domains::of_exp);
  }
  NEML2_INLINE friend Pack expm1(const Pack & a)
  {
    return elementary(
        a, &Functions::expm1, [](E x) { return std::expm1(x); }, Domains::of_exp);
  }
  NEML2_INLINE friend Pack log(const Pack & a)
  {
    return elementary(
        a, &Functions::log, [](E x) { return std::log(x); }, Domains::of_log);
  }
  NEML2_INLINE friend Pack log1p(const Pack & a)
  {
    return elementary(
        a, &Functions::log1p, [](E x) { return std::log1p(x); }, Domains::of_log);
  }
  NEML2_INLINE friend Pack log10(const Pack & a)
  {
    return elementary(
        a, &Functions::log10, [](E x) { return std::log10(x); }, Domains::of_log);
  }
  NEML2_INLINE friend Pack sin(const Pack & a)
  {
    return elementary(
        a, &Functions::sin, [](E x) { return std::sin(x); }, Domains::of_angle);
  }
  NEML2_INLINE friend Pack cos(const Pack & a)
  {
    return elementary(
        a, &Functions::cos, [](E x) { return std::cos(x); }, Domains::of_angle);
  }
  NEML2_INLINE friend Pack tan(const Pack & a)
  {
    return elementary(
        a, &Functions::tan, [](E x) { return std::tan(x); }, Domains::of_tan);
  }
  NEML2_INLINE friend Pack asin(const Pack & a)
  {
    return elementary(
        a, &Functions::asin, [](E x) { return std::asin(x); }, Domains::of_arc);
  }
  NEML2_INLINE friend Pack acos(const Pack & a)
  {
    return elementary(
        a, &Functions::acos, [](E x) { return std::acos(x); }, Domains::of_arc);
  }
  NEML2_INLINE friend Pack atan(const Pack & a)
  {
    return elementary(
        a, &Functions::atan, [](E x) { return std::atan(x); }, Domains::everywhere);
  }
  NEML2_INLINE friend Pack sinh(const Pack & a)
  {
    return elementary(
        a, &Functions::sinh, [](E x) { return std::sinh(x); }, Domains::of_sinh);
  }
  NEML2_INLINE friend Pack cosh(const Pack & a)
  {
    return elementary(
        a, &Functions::cosh, [](E x) { return std::cosh(x); }, Domains::of_sinh);
  }
  NEML2_INLINE friend Pack tanh(const Pack & a)
  {
    return elementary(
        a, &Functions::tanh, [](E x) { return std::tanh(x); }, Domains::of_tanh);
  }
  NEML2_INLINE friend Pack atanh(const Pack & a)
  {
    return elementary(
        a, &Functions::atanh, [](E x) { return std::atanh(x); }, Domains::of_atanh);
  }
  NEML2_INLINE friend Pack cbrt(const Pack & a)
  {
    return elementary(
        a, &Functions::cbrt, [](E x) { return std::cbrt(x); }, Domains::of_root);
  }
  NEML2_INLINE friend Pack asinh(const Pack & a)
  {
    return lanewise(a, [](E x) { return std::asinh(x); });
  }
  NEML2_INLINE friend Pack acosh(const Pack & a)
  {
    return lanewise(a, [](E x) { return std::acosh(x); });
  }
  NEML2_INLINE friend Pack atan2(const Pack & y, const Pack & x)
  {
    return elementary<sleef::OfAtan2>(
        y, x, &Functions::atan2, [](E s, E c) { return std::atan2(s, c); });
  }
  NEML2_INLINE friend Pack fmod(const Pack & a, const Pack & b)
  {
    return elementary<sleef::OfFmod>(
        a, b, &Functions::fmod, [](E x, E y) { return std::fmod(x, y); });
  }
  NEML2_INLINE friend Pack pow(const Pack & a, const Pack & n)
  {
    return elementary<sleef::OfPow>(a, n, &Functions::pow, [](E x, E y) { return std::pow(x, y); });
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
    if constexpr (is_widest<W, E>)
      sleef::apply_avx512(domain, f, one_by_one, r, x...);
    else
      sleef::apply_avx2(domain, f, one_by_one, r, x...);
  }
#endif

  NEML2_INLINE static Pack elementary(const Pack & a,
                                      [[maybe_unused]] sleef::Unary<W, E> Functions::*f,
                                      sleef::StdUnary<E> one_by_one,
                                      [[maybe_unused]] const sleef::Domain<E> & domain)
  {
#ifdef NEML2_SLEEF
    if constexpr (sleef::has_width<W, E>)
      if (const auto at_once = sleef::functions<W, E>().*f)
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
                                      [[maybe_unused]] sleef::Binary<W, E> Functions::*f,
                                      sleef::StdBinary<E> one_by_one)
  {
    Pack r;
#ifdef NEML2_SLEEF
    if constexpr (sleef::has_width<W, E>)
      if (const auto at_once = sleef::functions<W, E>().*f)
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
