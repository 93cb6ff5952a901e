// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/packs/Mask.h"

#include <cstdint>
#include <cstring>

/**
 * Elementary functions of four numbers at once, by the SLEEF that LibTorch's library exports or links:
 * looked up when first needed. Where there is none, packs call the standard library lane by lane.
 *
 * So does each lane outside the domain in which SLEEF is known to be right, to raise no floating-point exception, and to
 * compute a lane whatever the others are: a result depends on its own number alone.
 */
#if defined(NEML2_SIMD) && defined(__unix__)
#define NEML2_SLEEF
#include <dlfcn.h>
#endif

namespace neml2::packs::sleef
{
using StdUnary = double (*)(double);
using StdBinary = double (*)(double, double);

#ifdef NEML2_SLEEF
constexpr bool is_there = true;
typedef double Double4 __attribute__((vector_size(32)));
typedef int64_t Mask4 __attribute__((vector_size(32)));
using Unary = Double4 (*)(Double4);
using Binary = Double4 (*)(Double4, Double4);
#else
constexpr bool is_there = false;
using Unary = void *;
using Binary = void *;
#endif

/// Functions for AVX2 and FMA; null where there is none.
struct Functions
{
  Unary exp, expm1, log, log1p, log10, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, atanh,
      cbrt;
  Binary pow, atan2, fmod;
};

/// Where a function of one argument is plain: lower <= |x| <= upper.
struct Domain
{
  double lower, upper;
};
constexpr Domain everywhere{0, 1e300}, of_exp{0, 1000}, of_log{1e-300, 1e290}, of_angle{0, 14.5},
    of_tan{1e-300, 14.5}, of_arc{1e-290, 0.9999999}, of_sinh{0, 700}, of_tanh{0, 300},
    of_atanh{0, 1}, of_root{0, 1e290};

#ifdef NEML2_SLEEF
template <class F>
void
find(F & f, const char * name)
{
  void * const symbol = dlsym(RTLD_DEFAULT, name);
  std::memcpy(&f, &symbol, sizeof f);
}

inline Functions
find_functions()
{
  Functions f{};
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
    return f;
  find(f.exp, "Sleef_expd4_u10avx2");
  find(f.expm1, "Sleef_expm1d4_u10avx2");
  find(f.log, "Sleef_logd4_u10avx2");
  find(f.log1p, "Sleef_log1pd4_u10avx2");
  find(f.log10, "Sleef_log10d4_u10avx2");
  find(f.sin, "Sleef_sind4_u10avx2");
  find(f.cos, "Sleef_cosd4_u10avx2");
  find(f.tan, "Sleef_tand4_u10avx2");
  find(f.asin, "Sleef_asind4_u10avx2");
  find(f.acos, "Sleef_acosd4_u10avx2");
  find(f.atan, "Sleef_atand4_u10avx2");
  find(f.sinh, "Sleef_sinhd4_u10avx2");
  find(f.cosh, "Sleef_coshd4_u10avx2");
  find(f.tanh, "Sleef_tanhd4_u10avx2");
  find(f.atanh, "Sleef_atanhd4_u10avx2");
  find(f.cbrt, "Sleef_cbrtd4_u10avx2");
  find(f.pow, "Sleef_powd4_u10avx2");
  find(f.atan2, "Sleef_atan2d4_u10avx2");
  find(f.fmod, "Sleef_fmodd4_avx2");
  return f;
}

inline const Functions &
functions()
{
  static const Functions all = find_functions();
  return all;
}

// By reference: how vectors are passed by value depends on the instruction set.
#define NEML2_AVX2 __attribute__((target("avx2,fma"), noinline)) inline

/// f of the lanes in the domain, one_by_one of the others.
NEML2_AVX2 void
apply(Unary f, StdUnary one_by_one, const Domain & d, const Double4 & x, Double4 & r)
{
  const Double4 a = x, size = (Double4)((Mask4)a & INT64_MAX);
  const Mask4 plain = (size >= d.lower) & (size <= d.upper);
  const int lanes = __builtin_ia32_movmskpd256((Double4)plain);
  if (lanes == 15)
  {
    r = f(a);
    return;
  }
  const Double4 safe = {0.5, 0.5, 0.5, 0.5};
  Double4 y = f(plain ? a : safe);
  for (int w = 0; w < 4; w++)
    if (!(lanes & 1 << w))
      y[w] = one_by_one(a[w]);
  r = y;
}

// Where functions of two arguments are plain.

/// Neither both 0 nor huge.
struct OfAtan2
{
  NEML2_INLINE static void plain(const Double4 & y, const Double4 & x, Mask4 & is)
  {
    const Double4 a = (Double4)((Mask4)y & INT64_MAX), b = (Double4)((Mask4)x & INT64_MAX);
    const Double4 larger = a > b ? a : b;
    is = (larger >= 1e-290) & (a <= 1e290) & (b <= 1e290);
  }
};

/// Of a quotient that integers count exactly.
struct OfFmod
{
  NEML2_INLINE static void plain(const Double4 & x, const Double4 & y, Mask4 & is)
  {
    const Double4 a = (Double4)((Mask4)x & INT64_MAX), b = (Double4)((Mask4)y & INT64_MAX);
    is = (a * 1e-15 <= b) & (b >= 1e-290) & (a <= 1e290) & (b <= 1e290);
  }
};

/// |n log2 x| within the exponents of a double.
struct OfPow
{
  NEML2_INLINE static void plain(const Double4 & x, const Double4 & n, Mask4 & is)
  {
    const Double4 a = (Double4)((Mask4)x & INT64_MAX), b = (Double4)((Mask4)n & INT64_MAX);
    // The exponent of x, shifted into the last digits of 2^52.
    const Double4 log2 =
        (Double4)(((Mask4)a >> 52) | 0x4330000000000000) - (4503599627370496.0 + 1023.0);
    const Double4 digits = (Double4)((Mask4)log2 & INT64_MAX) + 1.0;
    is = (a >= 1e-300) & (a <= 1e300) & (b <= 1000.0 / digits);
  }
};

/// f of the lanes in the domain, one_by_one of the others.
template <class Of>
NEML2_AVX2 void
apply(Binary f, StdBinary one_by_one, const Double4 & x, const Double4 & y, Double4 & r)
{
  const Double4 a = x, b = y;
  Mask4 plain;
  Of::plain(a, b, plain);
  const int lanes = __builtin_ia32_movmskpd256((Double4)plain);
  if (lanes == 15)
  {
    r = f(a, b);
    return;
  }
  const Double4 safe = {0.5, 0.5, 0.5, 0.5};
  Double4 z = f(plain ? a : safe, plain ? b : safe);
  for (int w = 0; w < 4; w++)
    if (!(lanes & 1 << w))
      z[w] = one_by_one(a[w], b[w]);
  r = z;
}
#undef NEML2_AVX2
#else
struct OfAtan2;
struct OfFmod;
struct OfPow;
#endif
} // namespace neml2::packs::sleef
