// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/packs/Mask.h"
#include "neml2/packs/cpu.h"

#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

/**
 * Elementary functions of all numbers of a vector at once. The SLEEF library, which LibTorch exports or links, computes them. The
 * functions are looked up at their first use. If SLEEF is missing, packs call the standard library lane by lane.
 *
 * The standard library computes lanes with arguments outside the ranges below. Inside these ranges, SLEEF is known to be accurate, to raise
 * no floating-point exception, and to compute each lane independently of the others. A result therefore depends only on the numbers in its
 * own lane.
 *
 * With clang, SLEEF is called only if the whole program is compiled for AVX2 or AVX-512: otherwise clang passes vectors in memory,
 * where SLEEF does not expect them. Exported formulas (recorded/compiled_block.h) call the standard library alone, so that their results do
 * not depend on the libraries of the program.
 */
#if defined(NEML2_SIMD) && defined(__unix__) && !defined(NEML2_EXPORTED) &&                        \
    (!defined(__clang__) || defined(__AVX2__))
#define NEML2_SLEEF
#include <dlfcn.h>
#endif

namespace neml2::packs
{
template <int W, class E>
struct Pack;
}

namespace neml2::packs::sleef
{
template <class E>
using StdUnary = E (*)(E);
template <class E>
using StdBinary = E (*)(E, E);

#ifdef NEML2_SLEEF
constexpr bool is_there = true;
template <int W, class E>
using Unary = typename Vector<W, E>::type (*)(typename Vector<W, E>::type);
template <int W, class E>
using Binary = typename Vector<W, E>::type (*)(typename Vector<W, E>::type,
                                               typename Vector<W, E>::type);
#else
constexpr bool is_there = false;
template <int W, class E>
using Unary = void *;
template <int W, class E>
using Binary = void *;
#endif

/// SLEEF's functions for vectors of W numbers: four float64 or eight float32 with AVX2 and FMA, twice as many with AVX-512. Missing
/// functions are null.
template <int W, class E>
struct Functions
{
  Unary<W, E> exp, expm1, log, log1p, log10, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh,
      atanh, cbrt;
  Binary<W, E> pow, atan2, fmod;
};

/// Whether SLEEF is used at this width.
template <int W, class E>
constexpr bool has_width = W * sizeof(E) >= 32;

/// a < b for numbers that are not negative; only the sign bits of the mask are valid. The bits of such numbers, read as integers, have the
/// same order as the numbers. The comparison is one subtraction, which every instruction set has for whole vectors. NaN is the largest.
template <int W, class E>
NEML2_INLINE Mask<W, E>
is_less(const Pack<W, E> & a, const Pack<W, E> & b)
{
  using M = typename Vector<W, E>::mask;
  return Mask<W, E>((M)a.v - (M)b.v);
}

/// The range in which SLEEF computes a function of one argument: lower <= |x| <= upper.
template <class E>
struct Domain
{
  E lower, upper;
};
template <class E, const Domain<E> & domain>
struct Outside
{
  template <int W>
  NEML2_INLINE Mask<W, E> operator()(const Pack<W, E> & x) const
  {
    const Pack<W, E> size = abs(x), lower(double{domain.lower}), upper(double{domain.upper});
    return is_less(size, lower) | is_less(upper, size);
  }
};
template <class E>
struct Domains
{
  static constexpr Domain<E> everywhere{0, 1e300}, of_exp{0, 1000}, of_log{1e-300, 1e288},
      of_angle{0, 14.5}, of_tan{1e-300, 14.5}, of_arc{1e-160, 0.9999999}, of_sinh{0, 700},
      of_tanh{0, 300}, of_atanh{0, 1}, of_root{0, 1e200}, of_power{1e-300, 1e288};
  // for atan2 and fmod, whose arguments may be too small or too large
  static constexpr double small = 1e-290, large = 1e290;
};
template <>
struct Domains<float>
{
  static constexpr Domain<float> everywhere{0, 1e38f}, of_exp{0, 120}, of_log{1e-37f, 1e18f},
      of_angle{0, 120}, of_tan{1e-37f, 120}, of_arc{1e-18f, 0.9999999f}, of_sinh{0, 88},
      of_tanh{0, 60}, of_atanh{0, 1}, of_root{1e-37f, 1e18f}, of_power{1e-37f, 1e18f};
  static constexpr double small = 1e-18, large = 1e18;
};

// Whether the arguments of a function of two arguments are outside the range of SLEEF.

/// Both arguments are nearly 0, or one of them is huge.
struct OutsideAtan2
{
  template <int W, class E>
  NEML2_INLINE Mask<W, E> operator()(const Pack<W, E> & y, const Pack<W, E> & x) const
  {
    const Pack<W, E> a = abs(y), b = abs(x), small(Domains<E>::small), large(Domains<E>::large);
    return (is_less(a, small) & is_less(b, small)) | is_less(large, a) | is_less(large, b);
  }
};

/// The quotient has more digits than a floating-point number, or an argument is too small or too large.
struct OutsideFmod
{
  template <int W, class E>
  NEML2_INLINE Mask<W, E> operator()(const Pack<W, E> & x, const Pack<W, E> & y) const
  {
    constexpr double over_most = std::is_same_v<E, double> ? 1e-15 : 1e-6;
    const Pack<W, E> a = abs(x), b = abs(y), small(Domains<E>::small), large(Domains<E>::large);
    return is_less(b, Pack<W, E>(a * over_most)) | is_less(b, small) | is_less(large, a) |
           is_less(large, b);
  }
};

/// |n log2 x| may exceed the exponents of floating-point numbers, or x is too small or too large.
struct OutsidePow
{
  template <int W, class E>
  NEML2_INLINE Mask<W, E> operator()(const Pack<W, E> & x, const Pack<W, E> & n) const
  {
    constexpr bool is_double = std::is_same_v<E, double>;
    // The exponent of x, shifted into the last digits of 2^52 (float64) or 2^23 (float32).
    constexpr int digits = is_double ? 52 : 23;
    constexpr double power = double(int64_t(1) << digits), bias = is_double ? 1023 : 127;
    using M = typename Vector<W, E>::mask;
    const Pack<W, E> a = abs(x), b = abs(n), shift(power), most(is_double ? 1e-7 : 1.2e-8);
    const auto log2 =
        Pack<W, E>::of((typename Vector<W, E>::type)(((M)a.v >> digits) | (M)shift.v)) -
        (power + bias);
    const Pack<W, E> exponent =
        b * 1e-10 * (abs(log2) + 1.0); // scaled by 1e-10, so that nothing overflows
    return is_less(most, exponent) | Outside<E, Domains<E>::of_power>()(a);
  }
};

#ifdef NEML2_SLEEF
template <class F>
void
find(F & f, const char * name)
{
  void * const symbol = dlsym(RTLD_DEFAULT, name);
  std::memcpy(&f, &symbol, sizeof f);
}

template <int W, class E>
Functions<W, E>
find_functions(const std::string & instructions)
{
  Functions<W, E> f{};
  const std::string numbers = (std::is_same_v<E, double> ? "d" : "f") + std::to_string(W) + "_";
  const auto of = [&](auto & function, const char * name)
  { find(function, ("Sleef_" + (name + numbers + "u10" + instructions)).c_str()); };
  of(f.exp, "exp");
  of(f.expm1, "expm1");
  of(f.log, "log");
  of(f.log1p, "log1p");
  of(f.log10, "log10");
  of(f.sin, "sin");
  of(f.cos, "cos");
  of(f.tan, "tan");
  of(f.asin, "asin");
  of(f.acos, "acos");
  of(f.atan, "atan");
  of(f.sinh, "sinh");
  of(f.cosh, "cosh");
  of(f.tanh, "tanh");
  of(f.atanh, "atanh");
  of(f.cbrt, "cbrt");
  of(f.pow, "pow");
  of(f.atan2, "atan2");
  find(f.fmod, ("Sleef_fmod" + numbers + instructions).c_str());
  return f;
}

typedef long long Long8 __attribute__((vector_size(64)));
typedef int Int16 __attribute__((vector_size(64)));

/// The functions of this machine; the first call looks them up.
template <int W, class E>
const Functions<W, E> & functions();

template <int W, class E>
inline constexpr Functions<W, E> none{};
/// The functions of this machine after the first call of look_up_and_apply; before that call, all functions are null. Every pack reads this
/// variable without a lock.
template <int W, class E>
inline std::atomic<const Functions<W, E> *> known{&none<W, E>};

// Arguments are references except in calls of SLEEF, because the way in which vectors are passed by value depends on the
// instruction set. Within a loop for one instruction set everything that is not marked as cold is inlined.
#define NEML2_FOR_AVX2 __attribute__((target("avx2,fma"))) inline
#define NEML2_FOR_AVX512 __attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma"))) inline

// With AVX-512, which has instructions for the exponents of numbers, log and pow of eight numbers take less time than log and pow of
// four numbers without AVX-512.

using Double4 = Vector<4>::type;
using Double8 = Vector<8>::type;

NEML2_COLD NEML2_FOR_AVX512 Double4
log_as_eight(Double4 x)
{
  const Double8 y =
      functions<8, double>().log(__builtin_shufflevector(x, x, 0, 1, 2, 3, 0, 1, 2, 3));
  return __builtin_shufflevector(y, y, 0, 1, 2, 3);
}
NEML2_COLD NEML2_FOR_AVX512 Double4
pow_as_eight(Double4 x, Double4 n)
{
  const Double8 y =
      functions<8, double>().pow(__builtin_shufflevector(x, x, 0, 1, 2, 3, 0, 1, 2, 3),
                                 __builtin_shufflevector(n, n, 0, 1, 2, 3, 0, 1, 2, 3));
  return __builtin_shufflevector(y, y, 0, 1, 2, 3);
}

// Marked as cold so that it is not inlined: formulas are inlined with all functions that they call.
template <int W, class E>
NEML2_COLD Functions<W, E>
find_functions()
{
  if constexpr (is_widest<W, E>)
  {
#if defined(__clang__) && !defined(__AVX512F__)
    return {};
#else
    return has_avx512() ? find_functions<W, E>("avx512f") : Functions<W, E>();
#endif
  }
  else
  {
    if (!has_avx2())
      return {};
    auto f = find_functions<W, E>("avx2");
    if constexpr (std::is_same_v<E, double>)
    {
      if (functions<8, double>().log)
        f.log = log_as_eight;
      if (functions<8, double>().pow)
        f.pow = pow_as_eight;
    }
    return f;
  }
}
template <int W, class E>
const Functions<W, E> &
functions()
{
  static const Functions<W, E> all = find_functions<W, E>();
  return all;
}

/// Whether SLEEF is available to packs for AVX-512 if it is available to packs for AVX2.
inline bool
has_widest()
{
  return functions<8, double>().exp || !functions<4, double>().exp;
}

/// x, but 1/2 in the lanes whose arguments are outside the ranges. The mask has its sign bit set in these lanes.
template <int W, class E>
NEML2_INLINE Pack<W, E>
inside(const Mask<W, E> & outside, const Pack<W, E> & x)
{
  return where(Mask<W, E>(outside.m >> int(8 * sizeof(E) - 1)), Pack<W, E>(0.5), x);
}

/// Calls g for each lane whose bit 1 << lane is set in `lanes`.
template <int W, class E, class G, class... X>
NEML2_COLD void
one_by_one(const G & g, int lanes, Pack<W, E> & r, const X &... x)
{
  for (int w = 0; w < W; w++)
    if (lanes & 1 << w)
      r.lane(w, g(x.lane(w)...));
}

// Calls f for the lanes whose arguments are in the ranges above, and g for the other lanes; there is one version for AVX2 and one for
// AVX-512. Calls of g are rare, and work on copies, so that the common path stays in registers.

template <class Outside, class F, class G, int W, class E, class... X>
NEML2_COLD NEML2_FOR_AVX2 void
apply_in_part_avx2(F f, G g, int lanes, Pack<W, E> & r, const X &... x)
{
  const Mask<W, E> outside = Outside()(x...);
  r.v = f(inside(outside, x).v...);
  one_by_one(g, lanes, r, x...);
}
template <class Outside, class F, class G, int W, class E, class... X>
NEML2_FOR_AVX2 void
apply_avx2(F f, G g, Pack<W, E> & r, const X &... x)
{
  const Mask<W, E> outside = Outside()(x...);
  int lanes;
  if constexpr (W == 4)
    lanes = __builtin_ia32_movmskpd256((Vector<4>::type)outside.m);
  else
    lanes = __builtin_ia32_movmskps256((Vector<8, float>::type)outside.m);
  if (lanes == 0)
    r.v = f(x.v...);
  else
  {
    Pack<W, E> result;
    apply_in_part_avx2<Outside>(f, g, lanes, result, X(x)...);
    r = result;
  }
}

template <class Outside, class F, class G, int W, class E, class... X>
NEML2_COLD NEML2_FOR_AVX512 void
apply_in_part_avx512(F f, G g, int lanes, Pack<W, E> & r, const X &... x)
{
  const Mask<W, E> outside = Outside()(x...);
  r.v = f(inside(outside, x).v...);
  one_by_one(g, lanes, r, x...);
}
template <class Outside, class F, class G, int W, class E, class... X>
NEML2_FOR_AVX512 void
apply_avx512(F f, G g, Pack<W, E> & r, const X &... x)
{
  const Mask<W, E> outside = Outside()(x...);
  int lanes;
  if constexpr (W == 8)
    lanes = __builtin_ia32_cvtq2mask512((Long8)outside.m) & 255;
  else
    lanes = __builtin_ia32_cvtd2mask512((Int16)outside.m) & 65535;
  if (lanes == 0)
    r.v = f(x.v...);
  else
  {
    Pack<W, E> result;
    apply_in_part_avx512<Outside>(f, g, lanes, result, X(x)...);
    r = result;
  }
}

template <class Outside, class F, class G, int W, class E, class... X>
NEML2_INLINE void
apply(F f, G g, Pack<W, E> & r, const X &... x)
{
  if constexpr (is_widest<W, E>)
    apply_avx512<Outside>(f, g, r, x...);
  else
    apply_avx2<Outside>(f, g, r, x...);
}

/// Looks up a function at its first use and applies it; if SLEEF lacks the function, g is called.
template <class Outside, class F, class G, int W, class E, class... X>
NEML2_COLD void
look_up_and_apply(F Functions<W, E>::*f, G g, Pack<W, E> & r, const X &... x)
{
  const Functions<W, E> & all = functions<W, E>();
  known<W, E>.store(&all, std::memory_order_release);
  if (all.*f)
    apply<Outside>(all.*f, g, r, x...);
  else
    one_by_one(g, (1 << W) - 1, r, x...);
}
#undef NEML2_FOR_AVX2
#undef NEML2_FOR_AVX512
#else
inline bool
has_widest()
{
  return true;
}
#endif
} // namespace neml2::packs::sleef
