// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/packs/Pack.h"

/**
 * The choice of the instruction set, and the transposes between rows in memory and packs. Nothing
 * else in the library knows of either.
 *
 * On x86-64 with gcc or clang the driver's loop is compiled twice, for AVX2+FMA (packs of four rows)
 * and for the baseline (two: wider ones are lowered badly), and one is chosen when the program runs.
 * Everywhere else it is compiled once, for packs of one row.
 */
namespace neml2::core
{
/// Where the rows that fill the lanes begin. Lanes past the end of the batch repeat the last row when
/// loaded, so that one body serves whole blocks and the remainder.
template <class P>
struct Lanes
{
  double * row[P::width];

  NEML2_INLINE Lanes(double * first, int64_t stride, int64_t rows)
  {
    NEML2_UNROLL
    for (int w = 0; w < P::width; w++)
      row[w] = first + (w < rows ? w : rows - 1) * stride;
  }
};

#ifdef NEML2_SIMD
namespace simd
{
typedef double Double2 __attribute__((vector_size(16)));
typedef double UnalignedDouble2 __attribute__((vector_size(16), aligned(8), may_alias));
typedef float Float4 __attribute__((vector_size(16)));
typedef float UnalignedFloat4 __attribute__((vector_size(16), aligned(4), may_alias));

/// The first two as float64.
NEML2_INLINE Double2
widen(const Float4 & x)
{
#ifdef __clang__ // which has no builtin for the instruction
  return __builtin_convertvector(__builtin_shufflevector(x, x, 0, 1), Double2);
#else
  return __builtin_ia32_cvtps2pd(x);
#endif
}

// Transposing: each step moves two components of all lanes.

NEML2_INLINE void
load_step(Pack<2> * x, const Lanes<Pack<2>> & l, int k)
{
  const Double2 a = *(const UnalignedDouble2 *)(l.row[0] + k),
                b = *(const UnalignedDouble2 *)(l.row[1] + k);
  x[k].v = __builtin_shufflevector(a, b, 0, 2);
  x[k + 1].v = __builtin_shufflevector(a, b, 1, 3);
}

NEML2_INLINE void
store_step(const Pack<2> * x, const Lanes<Pack<2>> & l, int k)
{
  *(UnalignedDouble2 *)(l.row[0] + k) = __builtin_shufflevector(x[k].v, x[k + 1].v, 0, 2);
  *(UnalignedDouble2 *)(l.row[1] + k) = __builtin_shufflevector(x[k].v, x[k + 1].v, 1, 3);
}

NEML2_INLINE void
load_step(Pack<4> * x, const Lanes<Pack<4>> & l, int k)
{
  const Double2 a = *(const UnalignedDouble2 *)(l.row[0] + k),
                b = *(const UnalignedDouble2 *)(l.row[1] + k),
                c = *(const UnalignedDouble2 *)(l.row[2] + k),
                d = *(const UnalignedDouble2 *)(l.row[3] + k);
  const auto ac = __builtin_shufflevector(a, c, 0, 1, 2, 3);
  const auto bd = __builtin_shufflevector(b, d, 0, 1, 2, 3);
  x[k].v = __builtin_shufflevector(ac, bd, 0, 4, 2, 6);
  x[k + 1].v = __builtin_shufflevector(ac, bd, 1, 5, 3, 7);
}

NEML2_INLINE void
store_step(const Pack<4> * x, const Lanes<Pack<4>> & l, int k)
{
  const auto ac = __builtin_shufflevector(x[k].v, x[k + 1].v, 0, 4, 2, 6);
  const auto bd = __builtin_shufflevector(x[k].v, x[k + 1].v, 1, 5, 3, 7);
  *(UnalignedDouble2 *)(l.row[0] + k) = __builtin_shufflevector(ac, ac, 0, 1);
  *(UnalignedDouble2 *)(l.row[1] + k) = __builtin_shufflevector(bd, bd, 0, 1);
  *(UnalignedDouble2 *)(l.row[2] + k) = __builtin_shufflevector(ac, ac, 2, 3);
  *(UnalignedDouble2 *)(l.row[3] + k) = __builtin_shufflevector(bd, bd, 2, 3);
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
    *(simd::UnalignedDouble2 *)(to + i) = simd::widen(x);
    *(simd::UnalignedDouble2 *)(to + i + 2) =
        simd::widen(__builtin_shufflevector(x, x, 2, 3, 2, 3));
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
    const simd::Float4 lo = __builtin_ia32_cvtpd2ps(*(const simd::UnalignedDouble2 *)(from + i)),
                       hi =
                           __builtin_ia32_cvtpd2ps(*(const simd::UnalignedDouble2 *)(from + i + 2));
    *(simd::UnalignedFloat4 *)(to + i) = __builtin_shufflevector(lo, hi, 0, 1, 4, 5);
  }
#endif
  for (; i < n; i++)
    to[i] = float(from[i]);
}

/// Loads N adjacent components of the rows in the lanes, one component a pack. Of an odd number the
/// last step overlaps the one before.
template <int N, class P>
NEML2_INLINE void
load_rows(P * x, const Lanes<P> & lanes)
{
#ifdef NEML2_SIMD
  if constexpr (P::width > 1 && N > 1)
  {
    NEML2_UNROLL
    for (int k = 0; k < N; k += 2)
      simd::load_step(x, lanes, k + 2 <= N ? k : N - 2);
    return;
  }
#endif
  NEML2_UNROLL
  for (int k = 0; k < N; k++)
    NEML2_UNROLL
  for (int w = 0; w < P::width; w++)
    x[k].lane(w, lanes.row[w][k]);
}

/// Stores N adjacent components of the rows in the lanes.
template <int N, class P>
NEML2_INLINE void
store_rows(const P * x, const Lanes<P> & lanes)
{
#ifdef NEML2_SIMD
  if constexpr (P::width > 1 && N > 1)
  {
    NEML2_UNROLL
    for (int k = 0; k < N; k += 2)
      simd::store_step(x, lanes, k + 2 <= N ? k : N - 2);
    return;
  }
#endif
  NEML2_UNROLL
  for (int k = 0; k < N; k++)
    NEML2_UNROLL
  for (int w = 0; w < P::width; w++)
    lanes.row[w][k] = x[k].lane(w);
}

#ifdef NEML2_SIMD
inline bool
has_avx2()
{
  static const bool yes = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return yes;
}

// flatten: the whole formula, lambdas included, is inlined here and so compiled for this target.
template <class Body, class... Args>
__attribute__((target("avx2,fma"), flatten, noinline)) void
run_avx2(Args... args)
{
  Body::template run<Pack<4>>(args...);
}

template <class Body, class... Args>
__attribute__((flatten, noinline)) void
run_baseline(Args... args)
{
  Body::template run<Pack<Body::baseline_width>>(args...);
}
#else
template <class Body, class... Args>
void
run_plain(Args... args)
{
  Body::template run<Pack<1>>(args...);
}
#endif

/// A function compiled for one instruction set, and how many rows its packs hold. The two travel
/// together: a program may mix translation units with and without optimisation.
template <class... Args>
struct Compiled
{
  void (*run)(Args...);
  int width;
};

/// Body::run<Pack>(args...), compiled for the best instruction set of this machine.
template <class Body, class... Args>
Compiled<Args...>
compiled()
{
#ifdef NEML2_SIMD
  if (has_avx2())
    return {run_avx2<Body, Args...>, 4};
  return {run_baseline<Body, Args...>, Body::baseline_width};
#else
  return {run_plain<Body, Args...>, 1};
#endif
}
} // namespace neml2::core
