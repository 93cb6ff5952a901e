// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/inline.h"

#include <cstdint>

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

namespace neml2::packs
{
/// W numbers, and their truth values.
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

/**
 * m = (a compared with b), lane by lane. Eight lanes are compared in halves: gcc takes a comparison of 64 bytes apart into its
 * numbers, where the function that it is written in is not compiled for AVX-512 but inlined into one that is.
 */
template <int W, class Compare>
NEML2_INLINE void
compare_lanes(const typename Vector<W>::type & a,
              const typename Vector<W>::type & b,
              typename Vector<W>::mask & m,
              const Compare & compare_all)
{
#ifdef NEML2_SIMD
  if constexpr (W == 8)
  {
    Vector<4>::mask lo, hi;
    compare_all(
        __builtin_shufflevector(a, a, 0, 1, 2, 3), __builtin_shufflevector(b, b, 0, 1, 2, 3), lo);
    compare_all(
        __builtin_shufflevector(a, a, 4, 5, 6, 7), __builtin_shufflevector(b, b, 4, 5, 6, 7), hi);
    m = __builtin_shufflevector(lo, hi, 0, 1, 2, 3, 4, 5, 6, 7);
    return;
  }
#endif
  compare_all(a, b, m);
}

// what compare_lanes() takes.

struct Less
{
  template <class V, class M>
  NEML2_INLINE void operator()(const V & a, const V & b, M & m) const
  {
    m = a < b;
  }
};
struct LessEqual
{
  template <class V, class M>
  NEML2_INLINE void operator()(const V & a, const V & b, M & m) const
  {
    m = a <= b;
  }
};
struct Equal
{
  template <class V, class M>
  NEML2_INLINE void operator()(const V & a, const V & b, M & m) const
  {
    m = a == b;
  }
};
struct NotEqual
{
  template <class V, class M>
  NEML2_INLINE void operator()(const V & a, const V & b, M & m) const
  {
    m = a != b;
  }
};
} // namespace neml2::packs
