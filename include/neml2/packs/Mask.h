// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/inline.h"

#include <cstdint>
#include <type_traits>

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

/// One truth value a lane: what comparing packs gives, and where() takes.
template <int W>
struct Mask
{
  typename Vector<W>::mask m;

  NEML2_INLINE Mask() : m{} {}
  NEML2_INLINE explicit Mask(const typename Vector<W>::mask & x) : m(x) {}
  NEML2_INLINE Mask(const Mask & other) : m(other.m) {}
  NEML2_INLINE Mask & operator=(const Mask & other)
  {
    m = other.m;
    return *this;
  }

  /// Refused: points of a pack go different ways.
  template <class T = bool>
  explicit operator bool() const
  {
    static_assert(!std::is_same_v<T, bool>,
                  "a condition of a formula has a value per point: choose with where(condition, a, "
                  "b), or end a loop by any(condition) or all(condition)");
    return false;
  }

  NEML2_INLINE friend Mask operator&(const Mask & a, const Mask & b) { return Mask(a.m & b.m); }
  NEML2_INLINE friend Mask operator|(const Mask & a, const Mask & b) { return Mask(a.m | b.m); }
  NEML2_INLINE friend Mask operator~(const Mask & a) { return Mask(a.m == Mask().m); }
  /// As & | ~: both sides are evaluated.
  NEML2_INLINE friend Mask operator&&(const Mask & a, const Mask & b) { return a & b; }
  NEML2_INLINE friend Mask operator||(const Mask & a, const Mask & b) { return a | b; }
  NEML2_INLINE friend Mask operator!(const Mask & a) { return ~a; }

  /// Whether it holds in any lane, or in all: what a loop may end by. What a lane computes must not depend on it.
  NEML2_INLINE friend bool any(const Mask & a)
  {
    if constexpr (W == 1)
      return a.m;
    else
    {
      int64_t bits = a.m[0];
      for (int w = 1; w < W; w++)
        bits |= a.m[w];
      return bits != 0;
    }
  }
  NEML2_INLINE friend bool all(const Mask & a) { return !any(~a); }
};
} // namespace neml2::packs
