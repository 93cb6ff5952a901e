// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/inline.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

/**
 * On x86-64 with gcc or clang, a pack (one component of several rows) is a vector of the compiler's vector extension.
 *
 * On other targets, and in programs without optimisation, a pack is one number. Without optimisation, formulas are not inlined into the
 * loop, so packs would be slow.
 */
#if defined(__x86_64__) && defined(__OPTIMIZE__) && defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define NEML2_SIMD
#endif
#endif

namespace neml2::packs
{
/// W numbers of type E (float64 or float32), and vectors of W truth values of the same size.
template <int W, class E = double>
struct Vector
#ifdef NEML2_ON_DEVICE
    ; // on a device there are only packs of one row
#else
{
  using Bits = std::conditional_t<sizeof(E) == sizeof(int64_t), int64_t, int32_t>;
  typedef E type __attribute__((vector_size(W * sizeof(E))));
  typedef Bits mask __attribute__((vector_size(W * sizeof(E))));
};
#endif
template <class E>
struct Vector<1, E>
{
  using type = E;
  using mask = bool;
};

/// Whether W numbers fill a vector of AVX-512. In a function that is not compiled for AVX-512, gcc compares and selects the
/// numbers of such a vector one by one.
template <int W, class E>
constexpr bool is_widest = W * sizeof(E) == 64;

#ifdef NEML2_SIMD
/// take_half copies the half of a vector that begins at number `first`; join_halves joins two halves.
template <int first, class Part, class Whole, size_t... I>
NEML2_INLINE void
take_half(Part & part, const Whole & whole, std::index_sequence<I...>)
{
  part = __builtin_shufflevector(whole, whole, (first + int(I))...);
}
template <class Part, class Whole, size_t... I>
NEML2_INLINE void
join_halves(const Part & lo, const Part & hi, Whole & whole, std::index_sequence<I...>)
{
  whole = __builtin_shufflevector(lo, hi, int(I)...);
}
template <int W, class Part, class Whole>
NEML2_INLINE void
split_halves(const Whole & whole, Part & lo, Part & hi)
{
  take_half<0>(lo, whole, std::make_index_sequence<size_t(W / 2)>());
  take_half<W / 2>(hi, whole, std::make_index_sequence<size_t(W / 2)>());
}
template <int W, class Part, class Whole>
NEML2_INLINE void
join_halves(const Part & lo, const Part & hi, Whole & whole)
{
  join_halves(lo, hi, whole, std::make_index_sequence<size_t(W)>());
}
#endif

/// Sets v to x in all lanes by joining vectors of 16 bytes, because gcc fills wider vectors number by number.
template <int W, class E>
NEML2_INLINE void
fill_lanes(typename Vector<W, E>::type & v, E x)
{
#ifdef NEML2_SIMD
  if constexpr (W * sizeof(E) > 16)
  {
    typename Vector<W / 2, E>::type half;
    fill_lanes<W / 2, E>(half, x);
    join_halves<W>(half, half, v);
    return;
  }
#endif
  v = x - typename Vector<W, E>::type{}; // subtracting zero keeps the sign of -0
}

/// Sets m to the comparison of a with b, lane by lane; the widest vectors are compared in halves.
template <int W, class E, class Compare>
NEML2_INLINE void
compare_lanes(const typename Vector<W, E>::type & a,
              const typename Vector<W, E>::type & b,
              typename Vector<W, E>::mask & m,
              const Compare & compare_all)
{
#ifdef NEML2_SIMD
  if constexpr (is_widest<W, E>)
  {
    typename Vector<W / 2, E>::type a_lo, a_hi, b_lo, b_hi;
    typename Vector<W / 2, E>::mask lo, hi;
    split_halves<W>(a, a_lo, a_hi);
    split_halves<W>(b, b_lo, b_hi);
    compare_all(a_lo, b_lo, lo);
    compare_all(a_hi, b_hi, hi);
    join_halves<W>(lo, hi, m);
    return;
  }
#endif
  compare_all(a, b, m);
}

// The comparisons that compare_lanes() accepts.

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
