// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/packs/sleef.h"
#include "neml2/kernels/Scalar.h"

#include <cmath>
#include <limits>

namespace neml2::packs
{
template <int W, class E>
struct Pack;

/**
 * The elementary functions of packs, on all lanes at once where SLEEF is available.
 *
 * A base of Pack. Argument-dependent lookup finds the functions, which are friends. Either operand may be a plain
 * number.
 */
template <int W, class E>
struct PackFunctions : kernels::Component<Pack<W, E>>
{
  using Pack = packs::Pack<W, E>;
  using Half = packs::Pack<W / 2, E>;
  using Functions = sleef::Functions<W, E>;
  using Domains = sleef::Domains<E>;

  /// √a by the processor's instruction: compilers do not vectorise std::sqrt, because it reports errors in errno. The
  /// pack is split into parts of 16 bytes, for which all instruction sets have the instruction.
  NEML2_INLINE friend Pack sqrt(const Pack & a)
  {
#ifdef NEML2_SIMD
    if constexpr (W * sizeof(E) == 16)
    {
#if __has_builtin(__builtin_elementwise_sqrt) // clang; its newest version has only this function
      return Pack::of(__builtin_elementwise_sqrt(a.v));
#else
      if constexpr (W == 2)
        return Pack::of(__builtin_ia32_sqrtpd(a.v));
      else
        return Pack::of(__builtin_ia32_sqrtps(a.v));
#endif
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
    return elementary<Domains::of_exp>(a, &Functions::exp, [](E x) { return std::exp(x); });
  }
  NEML2_INLINE friend Pack expm1(const Pack & a)
  {
    return elementary<Domains::of_exp>(a, &Functions::expm1, [](E x) { return std::expm1(x); });
  }
  NEML2_INLINE friend Pack log(const Pack & a)
  {
    return elementary<Domains::of_log>(a, &Functions::log, [](E x) { return std::log(x); });
  }
  NEML2_INLINE friend Pack log1p(const Pack & a)
  {
    return elementary<Domains::of_log>(a, &Functions::log1p, [](E x) { return std::log1p(x); });
  }
  NEML2_INLINE friend Pack log10(const Pack & a)
  {
    return elementary<Domains::of_log>(a, &Functions::log10, [](E x) { return std::log10(x); });
  }
  NEML2_INLINE friend Pack sin(const Pack & a)
  {
    return elementary<Domains::of_angle>(a, &Functions::sin, [](E x) { return std::sin(x); });
  }
  NEML2_INLINE friend Pack cos(const Pack & a)
  {
    return elementary<Domains::of_angle>(a, &Functions::cos, [](E x) { return std::cos(x); });
  }
  NEML2_INLINE friend Pack tan(const Pack & a)
  {
    return elementary<Domains::of_tan>(a, &Functions::tan, [](E x) { return std::tan(x); });
  }
  NEML2_INLINE friend Pack asin(const Pack & a)
  {
    return elementary<Domains::of_arc>(a, &Functions::asin, [](E x) { return std::asin(x); });
  }
  NEML2_INLINE friend Pack acos(const Pack & a)
  {
    return elementary<Domains::of_arc>(a, &Functions::acos, [](E x) { return std::acos(x); });
  }
  NEML2_INLINE friend Pack atan(const Pack & a)
  {
    return elementary<Domains::everywhere>(a, &Functions::atan, [](E x) { return std::atan(x); });
  }
  NEML2_INLINE friend Pack sinh(const Pack & a)
  {
    return elementary<Domains::of_sinh>(a, &Functions::sinh, [](E x) { return std::sinh(x); });
  }
  NEML2_INLINE friend Pack cosh(const Pack & a)
  {
    return elementary<Domains::of_sinh>(a, &Functions::cosh, [](E x) { return std::cosh(x); });
  }
  NEML2_INLINE friend Pack tanh(const Pack & a)
  {
    return elementary<Domains::of_tanh>(a, &Functions::tanh, [](E x) { return std::tanh(x); });
  }
  NEML2_INLINE friend Pack atanh(const Pack & a)
  {
    return elementary<Domains::of_atanh>(a, &Functions::atanh, [](E x) { return std::atanh(x); });
  }
  NEML2_INLINE friend Pack cbrt(const Pack & a)
  {
    return elementary<Domains::of_root>(a, &Functions::cbrt, [](E x) { return std::cbrt(x); });
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
    return elementary_of_two<sleef::OutsideAtan2>(
        y, x, &Functions::atan2, [](E s, E c) { return std::atan2(s, c); });
  }
  /// √(a² + b²). If the squares could overflow or underflow, a and b are first scaled by a power of two, which causes no round-off.
  NEML2_INLINE friend Pack hypot(const Pack & a, const Pack & b)
  {
    constexpr bool is_double = std::is_same_v<E, double>;
    constexpr double huge = is_double ? 0x1p400 : 0x1p40, power = is_double ? 0x1p600 : 0x1p90;
    const Pack size_a = abs(a), size_b = abs(b), largest = maximum(size_a, size_b),
               infinite(std::numeric_limits<double>::infinity());
    const auto is_small = largest<1.0 / huge, is_huge = largest> huge;
    const Pack up = where(is_small, Pack(power), where(is_huge, Pack(1.0 / power), Pack(1.0))),
               down = where(is_small, Pack(1.0 / power), where(is_huge, Pack(power), Pack(1.0)));
    const Pack x = a * up, y = b * up;
    return where(
        (size_a == infinite) | (size_b == infinite), infinite, Pack(sqrt(x * x + y * y) * down));
  }
  NEML2_INLINE friend Pack fmod(const Pack & a, const Pack & b)
  {
    return elementary_of_two<sleef::OutsideFmod>(
        a, b, &Functions::fmod, [](E x, E y) { return std::fmod(x, y); });
  }
  NEML2_INLINE friend Pack pow(const Pack & a, const Pack & n)
  {
    return elementary_of_two<sleef::OutsidePow>(
        a, n, &Functions::pow, [](E x, E y) { return std::pow(x, y); });
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

  template <const sleef::Domain<E> & domain>
  NEML2_INLINE static Pack elementary(const Pack & a,
                                      [[maybe_unused]] sleef::Unary<W, E> Functions::*f,
                                      sleef::StdUnary<E> one_by_one)
  {
#ifdef NEML2_SLEEF
    if constexpr (sleef::has_width<W, E>)
      return at_once<sleef::Outside<E, domain>>(f, one_by_one, a);
    else
#endif
      return lanewise(a, one_by_one);
  }
  template <class Outside>
  NEML2_INLINE static Pack elementary_of_two(const Pack & a,
                                             const Pack & b,
                                             [[maybe_unused]] sleef::Binary<W, E> Functions::*f,
                                             sleef::StdBinary<E> one_by_one)
  {
#ifdef NEML2_SLEEF
    if constexpr (sleef::has_width<W, E>)
      return at_once<Outside>(f, one_by_one, a, b);
    else
#endif
    {
      Pack r;
      for (int w = 0; w < W; w++)
        r.lane(w, one_by_one(a.lane(w), b.lane(w)));
      return r;
    }
  }

#ifdef NEML2_SLEEF
  /// Calls SLEEF's function for the lanes whose arguments are in the ranges of sleef.h, and the standard library for the other lanes. If
  /// SLEEF is not available, it calls the standard library for all lanes.
  template <class Outside, class F, class G, class... X>
  NEML2_INLINE static Pack at_once(F Functions::*f, G one_by_one, const X &... x)
  {
    Pack r;
    if (const F function = sleef::known<W, E>.load(std::memory_order_acquire)->*f)
      sleef::apply<Outside>(function, one_by_one, r, x...);
    else
    {
      Pack result;
      sleef::look_up_and_apply<Outside>(f, one_by_one, result, X(x)...);
      r = result;
    }
    return r;
  }
#endif
};
} // namespace neml2::packs
