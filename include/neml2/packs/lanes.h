// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/packs/Pack.h"

/// Transposes between rows in memory and packs, each of which holds one component of several rows.
namespace neml2::packs
{
/// The addresses of the rows in the lanes. Lanes past the end of the batch load the last row once more, so that
/// the same code serves whole blocks and the remainder.
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

// Loading transposes: each step moves two components of all lanes.

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

NEML2_INLINE void
load_step(Pack<8> * x, const Lanes<Pack<8>> & l, int k)
{
  const Double2 r0 = *(const UnalignedDouble2 *)(l.row[0] + k);
  const Double2 r1 = *(const UnalignedDouble2 *)(l.row[1] + k);
  const Double2 r2 = *(const UnalignedDouble2 *)(l.row[2] + k);
  const Double2 r3 = *(const UnalignedDouble2 *)(l.row[3] + k);
  const Double2 r4 = *(const UnalignedDouble2 *)(l.row[4] + k);
  const Double2 r5 = *(const UnalignedDouble2 *)(l.row[5] + k);
  const Double2 r6 = *(const UnalignedDouble2 *)(l.row[6] + k);
  const Double2 r7 = *(const UnalignedDouble2 *)(l.row[7] + k);
  const auto r02 = __builtin_shufflevector(r0, r2, 0, 1, 2, 3);
  const auto r46 = __builtin_shufflevector(r4, r6, 0, 1, 2, 3);
  const auto r13 = __builtin_shufflevector(r1, r3, 0, 1, 2, 3);
  const auto r57 = __builtin_shufflevector(r5, r7, 0, 1, 2, 3);
  const auto even = __builtin_shufflevector(r02, r46, 0, 1, 2, 3, 4, 5, 6, 7);
  const auto odd = __builtin_shufflevector(r13, r57, 0, 1, 2, 3, 4, 5, 6, 7);
  x[k].v = __builtin_shufflevector(even, odd, 0, 8, 2, 10, 4, 12, 6, 14);
  x[k + 1].v = __builtin_shufflevector(even, odd, 1, 9, 3, 11, 5, 13, 7, 15);
}

NEML2_INLINE void
store_step(const Pack<8> * x, const Lanes<Pack<8>> & l, int k)
{
  const auto even = __builtin_shufflevector(x[k].v, x[k + 1].v, 0, 8, 2, 10, 4, 12, 6, 14);
  const auto odd = __builtin_shufflevector(x[k].v, x[k + 1].v, 1, 9, 3, 11, 5, 13, 7, 15);
  *(UnalignedDouble2 *)(l.row[0] + k) = __builtin_shufflevector(even, even, 0, 1);
  *(UnalignedDouble2 *)(l.row[1] + k) = __builtin_shufflevector(odd, odd, 0, 1);
  *(UnalignedDouble2 *)(l.row[2] + k) = __builtin_shufflevector(even, even, 2, 3);
  *(UnalignedDouble2 *)(l.row[3] + k) = __builtin_shufflevector(odd, odd, 2, 3);
  *(UnalignedDouble2 *)(l.row[4] + k) = __builtin_shufflevector(even, even, 4, 5);
  *(UnalignedDouble2 *)(l.row[5] + k) = __builtin_shufflevector(odd, odd, 4, 5);
  *(UnalignedDouble2 *)(l.row[6] + k) = __builtin_shufflevector(even, even, 6, 7);
  *(UnalignedDouble2 *)(l.row[7] + k) = __builtin_shufflevector(odd, odd, 6, 7);
}
} // namespace simd
#endif

/// Loads N adjacent components of the rows in the lanes, one component per pack. If N is odd, the
/// last step overlaps the step before.
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
} // namespace neml2::packs
