// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/inline.h"

#include <cstdint>

/// Numbers of float32 to float64, in which packs compute, and back.
namespace neml2::packs
{
#ifdef NEML2_SIMD
namespace simd
{
typedef float Float4 __attribute__((vector_size(16)));
typedef float UnalignedFloat4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef double Pair __attribute__((vector_size(16)));
typedef double UnalignedPair __attribute__((vector_size(16), aligned(8), may_alias));

/// The first two as float64.
NEML2_INLINE Pair
widen(const Float4 & x)
{
#ifdef __clang__ // which has no builtin for the instruction
  return __builtin_convertvector(__builtin_shufflevector(x, x, 0, 1), Pair);
#else
  return __builtin_ia32_cvtps2pd(x);
#endif
}
} // namespace simd
#endif

/// Copies n adjacent numbers of float32 to float64.
inline void
convert(double * to, const float * from, int64_t n)
{
  int64_t i = 0;
#ifdef NEML2_SIMD
  for (; i + 4 <= n; i += 4)
  {
    const simd::Float4 x = *(const simd::UnalignedFloat4 *)(from + i);
    *(simd::UnalignedPair *)(to + i) = simd::widen(x);
    *(simd::UnalignedPair *)(to + i + 2) = simd::widen(__builtin_shufflevector(x, x, 2, 3, 2, 3));
  }
#endif
  for (; i < n; i++)
    to[i] = double(from[i]);
}

/// Copies n adjacent numbers of float64 to float32.
inline void
convert(float * to, const double * from, int64_t n)
{
  int64_t i = 0;
#ifdef NEML2_SIMD
  for (; i + 4 <= n; i += 4)
  {
    const simd::Float4 lo = __builtin_ia32_cvtpd2ps(*(const simd::UnalignedPair *)(from + i)),
                       hi = __builtin_ia32_cvtpd2ps(*(const simd::UnalignedPair *)(from + i + 2));
    *(simd::UnalignedFloat4 *)(to + i) = __builtin_shufflevector(lo, hi, 0, 1, 4, 5);
  }
#endif
  for (; i < n; i++)
    to[i] = float(from[i]);
}
} // namespace neml2::packs
