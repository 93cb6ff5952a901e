// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/packs/Vector.h"

#include <type_traits>

namespace neml2::packs
{
/// One truth value per lane: the result of comparing packs, and the condition of where().
template <int W, class E = double>
struct Mask
{
  using M = typename Vector<W, E>::mask;

  M m;

  NEML2_INLINE Mask() : m{} {}
  NEML2_INLINE explicit Mask(const M & x) : m(x) {}
  NEML2_INLINE Mask(const Mask & other) : m(other.m) {}
  NEML2_INLINE Mask & operator=(const Mask & other)
  {
    m = other.m;
    return *this;
  }

  /// Does not compile: the condition may hold in only some lanes of a pack.
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
  NEML2_INLINE friend Mask operator~(const Mask & a)
  {
    if constexpr (W == 1)
      return Mask(!a.m);
    else
      return Mask(~a.m);
  }
  /// These operators are the same as &, | and ~; therefore && and || evaluate both sides.
  NEML2_INLINE friend Mask operator&&(const Mask & a, const Mask & b) { return a & b; }
  NEML2_INLINE friend Mask operator||(const Mask & a, const Mask & b) { return a | b; }
  NEML2_INLINE friend Mask operator!(const Mask & a) { return ~a; }

  /// any: whether the condition holds in at least one lane; all: whether it holds in all lanes. Use them only to end loops: the result in a
  /// lane must not depend on the other lanes.
  NEML2_INLINE friend bool any(const Mask & a)
  {
    if constexpr (W == 1)
      return a.m;
    else
    {
#ifdef NEML2_SIMD
      if constexpr (W * sizeof(E) > 16)
      {
        Mask<W / 2, E> lo, hi;
        split_halves<W>(a.m, lo.m, hi.m);
        return any(lo | hi);
      }
#endif
      auto bits = a.m[0];
      for (int w = 1; w < W; w++)
        bits |= a.m[w];
      return bits != 0;
    }
  }
  NEML2_INLINE friend bool all(const Mask & a)
  {
    return !any(~a);
  }
};
} // namespace neml2::packs
