// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/packs/Mask.h"
#include "neml2/packs/cpu.h"

#include <cstdint>
#include <cstring>
#include <string>

/**
 * Elementary functions of four or eight numbers at once, by the SLEEF that LibTorch's library exports or links:
 * looked up when first needed. Where there is none, packs call the standard library lane by lane.
 *
 * So does each lane outside the domain in which SLEEF is known to be right, to raise no floating-point exception, and to
 * compute a lane whatever the others are: a result depends on its own number alone.
 *
 * clang passes vectors in memory, where SLEEF does not look for them, unless all of the program is compiled for AVX2 or
 * AVX-512: only then SLEEF is called.
 */
#if defined(NEML2_SIMD) && defined(__unix__) && (!defined(__clang__) || defined(__AVX2__))
#define NEML2_SLEEF
#include <dlfcn.h>
#endif

namespace neml2::packs
{
template <int W>
struct Pack;
}

namespace neml2::packs::sleef
{
using StdUnary = double (*)(double);
using StdBinary = double (*)(double, double);

#ifdef NEML2_SLEEF
constexpr bool is_there = true;
using Double4 = Vector<4>::type;
using Double8 = Vector<8>::type;
template <int W>
using Unary = typename Vector<W>::type (*)(typename Vector<W>::type);
template <int W>
using Binary = typename Vector<W>::type (*)(typename Vector<W>::type, typename Vector<W>::type);
#else
constexpr bool is_there = false;
template <int W>
using Unary = void *;
template <int W>
using Binary = void *;
#endif

/// Functions of W numbers, four for AVX2 and FMA, eight for AVX-512; null where there is none.
template <int W>
struct Functions
{
  Unary<W> exp, expm1, log, log1p, log10, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, atanh,
      cbrt;
  Binary<W> pow, atan2, fmod;
};

/// Where a function of one argument is plain: lower <= |x| <= upper.
struct Domain
{
  double lower, upper;

  template <int W>
  NEML2_INLINE Mask<W> operator()(const Pack<W> & x) const
  {
    const auto size = abs(x);
    return (size >= lower) & (size <= upper);
  }
};
constexpr Domain everywhere{0, 1e300}, of_exp{0, 1000}, of_log{1e-300, 1e290}, of_angle{0, 14.5},
    of_tan{1e-300, 14.5}, of_arc{1e-290, 0.9999999}, of_sinh{0, 700}, of_tanh{0, 300},
    of_atanh{0, 1}, of_root{0, 1e290};

// Where functions of two arguments are plain.

/// Neither both 0 nor huge.
struct OfAtan2
{
  template <int W>
  NEML2_INLINE Mask<W> operator()(const Pack<W> & y, const Pack<W> & x) const
  {
    const auto a = abs(y), b = abs(x);
    return ((a >= 1e-290) | (b >= 1e-290)) & (a <= 1e290) & (b <= 1e290);
  }
};

/// Of a quotient that integers count exactly.
struct OfFmod
{
  template <int W>
  NEML2_INLINE Mask<W> operator()(const Pack<W> & x, const Pack<W> & y) const
  {
    const auto a = abs(x), b = abs(y);
    return (a * 1e-15 <= b) & (b >= 1e-290) & (a <= 1e290) & (b <= 1e290);
  }
};

/// |n log2 x| within the exponents of a double.
struct OfPow
{
  template <int W>
  NEML2_INLINE Mask<W> operator()(const Pack<W> & x, const Pack<W> & n) const
  {
    const auto a = abs(x), b = abs(n);
    // The exponent of x, shifted into the last digits of 2^52.
    const auto log2 = Pack<W>::of((typename Vector<W>::type)(((typename Vector<W>::mask)a.v >> 52) |
                                                             0x4330000000000000)) -
                      (4503599627370496.0 + 1023.0);
    const auto exponent =
        b * 1e-10 * (abs(log2) + 1.0); // 10 orders smaller, so that nothing overflows
    return (exponent <= 1e-7) & (a >= 1e-300) & (a <= 1e300);
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

template <int W>
Functions<W>
find_functions(const std::string & suffix)
{
  Functions<W> f{};
  const auto of = [&](auto & function, const char * name)
  { find(function, ("Sleef_" + (name + suffix)).c_str()); };
  of(f.exp, "expd");
  of(f.expm1, "expm1d");
  of(f.log, "logd");
  of(f.log1p, "log1pd");
  of(f.log10, "log10d");
  of(f.sin, "sind");
  of(f.cos, "cosd");
  of(f.tan, "tand");
  of(f.asin, "asind");
  of(f.acos, "acosd");
  of(f.atan, "atand");
  of(f.sinh, "sinhd");
  of(f.cosh, "coshd");
  of(f.tanh, "tanhd");
  of(f.atanh, "atanhd");
  of(f.cbrt, "cbrtd");
  of(f.pow, "powd");
  of(f.atan2, "atan2d");
  return f;
}

typedef long long Long8 __attribute__((vector_size(64)));

// Vectors go by reference, but to SLEEF: how they are passed by value depends on the instruction set.
#define NEML2_FOR_AVX2 __attribute__((target("avx2,fma"), noinline)) inline
#define NEML2_FOR_AVX512                                                                           \
  __attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma"), noinline)) inline

// Cold: formulas are inlined with all they call.
NEML2_COLD inline Functions<8>
find_functions_of_eight()
{
#if defined(__clang__) && !defined(__AVX512F__)
  return {};
#endif
  if (!has_avx512())
    return {};
  auto f = find_functions<8>("8_u10avx512f");
  find(f.fmod, "Sleef_fmodd8_avx512f");
  return f;
}
inline const Functions<8> &
functions_of_eight()
{
  static const Functions<8> all = find_functions_of_eight();
  return all;
}

// Where AVX-512 has instructions for the exponents of numbers, eight take less time than four without.

NEML2_FOR_AVX512 Double4
log_as_eight(Double4 x)
{
  const Double8 y = functions_of_eight().log(__builtin_shufflevector(x, x, 0, 1, 2, 3, 0, 1, 2, 3));
  return __builtin_shufflevector(y, y, 0, 1, 2, 3);
}
NEML2_FOR_AVX512 Double4
pow_as_eight(Double4 x, Double4 n)
{
  const Double8 y = functions_of_eight().pow(__builtin_shufflevector(x, x, 0, 1, 2, 3, 0, 1, 2, 3),
                                             __builtin_shufflevector(n, n, 0, 1, 2, 3, 0, 1, 2, 3));
  return __builtin_shufflevector(y, y, 0, 1, 2, 3);
}

NEML2_COLD inline Functions<4>
find_functions_of_four()
{
  if (!has_avx2())
    return {};
  auto f = find_functions<4>("4_u10avx2");
  find(f.fmod, "Sleef_fmodd4_avx2");
  if (functions_of_eight().log)
    f.log = log_as_eight;
  if (functions_of_eight().pow)
    f.pow = pow_as_eight;
  return f;
}
inline const Functions<4> &
functions_of_four()
{
  static const Functions<4> all = find_functions_of_four();
  return all;
}

/// Whether functions of eight numbers are as many as those of four.
inline bool
has_eight()
{
  return functions_of_eight().exp || !functions_of_four().exp;
}

template <int W>
const Functions<W> &
functions()
{
  if constexpr (W == 4)
    return functions_of_four();
  else
    return functions_of_eight();
}

/// f of the lanes that are no part of the sum of 1 << lane.
template <int W, class F, class... X>
NEML2_INLINE void
one_by_one(const F & f, int lanes, Pack<W> & r, const X &... x)
{
  for (int w = 0; w < W; w++)
    if (!(lanes & 1 << w))
      r.lane(w, f(x.lane(w)...));
}

// f of the lanes where the arguments are in the domain, g of the others: for packs of four, and of eight.

template <class In, class F, class G, int W, class... X>
NEML2_FOR_AVX2 void
apply_to_four(const In & domain, F f, G g, Pack<W> & r, const X &... x)
{
  const auto is = domain(x...);
  const int lanes = __builtin_ia32_movmskpd256((Double4)is.m);
  if (lanes == 15)
    r.v = f(x.v...);
  else
  {
    r.v = f(where(is, x, Pack<W>(0.5)).v...);
    one_by_one(g, lanes, r, x...);
  }
}
template <class In, class F, class G, int W, class... X>
NEML2_FOR_AVX512 void
apply_to_eight(const In & domain, F f, G g, Pack<W> & r, const X &... x)
{
  const auto is = domain(x...);
  const int lanes = __builtin_ia32_cvtq2mask512((Long8)is.m) & 255;
  if (lanes == 255)
    r.v = f(x.v...);
  else
  {
    r.v = f(where(is, x, Pack<W>(0.5)).v...);
    one_by_one(g, lanes, r, x...);
  }
}
#undef NEML2_FOR_AVX2
#undef NEML2_FOR_AVX512
#else
inline bool
has_eight()
{
  return true;
}
#endif
} // namespace neml2::packs::sleef
