// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/packs/Mask.h"
#include "neml2/packs/PackFunctions.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace neml2::packs
{
/**
 * One component of W rows (tensors of a batch), with one row per lane. The numbers have the type E, float64 or float32.
 *
 * The copy constructor is not trivial, so a pack is passed in memory on every target. A formula
 * that is not inlined into the loop is therefore slow, but never wrong. A plain number converts to a
 * pack that has it in all lanes.
 */
template <int W, class E = double>
struct Pack : PackFunctions<W, E>
{
  using Element = E;
  using V = typename Vector<W, E>::type;
  using Mask = packs::Mask<W, E>;
  static constexpr int width = W;

  V v;

  NEML2_INLINE Pack() {} // leaves the numbers unset: see kernels::Unset
  NEML2_INLINE Pack(const Pack & other) : PackFunctions<W, E>(), v(other.v) {}
  NEML2_INLINE Pack & operator=(const Pack & other)
  {
    v = other.v;
    return *this;
  }
  NEML2_INLINE Pack(double x)
  {
    if constexpr (W == 1)
      v = E(x);
    else
      fill_lanes<W, E>(v, E(x));
  }

  NEML2_INLINE static Pack of(const V & x)
  {
    Pack p;
    p.v = x;
    return p;
  }
  /// Loads W adjacent numbers, of any alignment.
  NEML2_INLINE static Pack load(const E * numbers)
  {
    Pack p;
    std::memcpy(&p.v, numbers, sizeof(V));
    return p;
  }
  NEML2_INLINE void store(E * numbers) const { std::memcpy(numbers, &v, sizeof(V)); }

  NEML2_INLINE E lane(int w) const
  {
    if constexpr (W == 1)
      return v;
    else
      return v[w];
  }
  NEML2_INLINE void lane(int w, E x)
  {
    if constexpr (W == 1)
      v = x;
    else
      v[w] = x;
  }

  // The operators are friends, so that either operand may be a plain number.

  NEML2_INLINE friend Pack operator-(const Pack & a) { return of(-a.v); }
  NEML2_INLINE friend Pack operator+(const Pack & a, const Pack & b) { return of(a.v + b.v); }
  NEML2_INLINE friend Pack operator-(const Pack & a, const Pack & b) { return of(a.v - b.v); }
  NEML2_INLINE friend Pack operator*(const Pack & a, const Pack & b) { return of(a.v * b.v); }
  NEML2_INLINE friend Pack operator/(const Pack & a, const Pack & b) { return of(a.v / b.v); }

  NEML2_INLINE friend Mask operator<(const Pack & a, const Pack & b)
  {
    return compared<Less>(a, b);
  }
  NEML2_INLINE friend Mask operator>(const Pack & a, const Pack & b)
  {
    return compared<Less>(b, a);
  }
  NEML2_INLINE friend Mask operator<=(const Pack & a, const Pack & b)
  {
    return compared<LessEqual>(a, b);
  }
  NEML2_INLINE friend Mask operator>=(const Pack & a, const Pack & b)
  {
    return compared<LessEqual>(b, a);
  }
  NEML2_INLINE friend Mask operator==(const Pack & a, const Pack & b)
  {
    return compared<Equal>(a, b);
  }
  NEML2_INLINE friend Mask operator!=(const Pack & a, const Pack & b)
  {
    return compared<NotEqual>(a, b);
  }

  /// a in the lanes where c holds, b in the others.
  NEML2_INLINE friend Pack where(const Mask & c, const Pack & a, const Pack & b)
  {
    if constexpr (
        W == 1) // selects values; selecting addresses would keep a device's variables in memory
      return of(c.m ? V(a.v) : V(b.v));
    else if constexpr (is_widest<W, E>) // selects bits
      return of((V)(((Bits)a.v & c.m) | ((Bits)b.v & ~c.m)));
    else
      return of(c.m ? a.v : b.v);
  }

  /// The larger of a and b; b where they are equal, NaN where one is NaN.
  NEML2_INLINE friend Pack maximum(const Pack & a, const Pack & b)
  {
    return where((a > b) | (a != a), a, b);
  }
  /// The smaller of a and b; b where they are equal, NaN where one is NaN.
  NEML2_INLINE friend Pack minimum(const Pack & a, const Pack & b)
  {
    return where((a < b) | (a != a), a, b);
  }

  NEML2_INLINE friend Pack abs(const Pack & a)
  {
    if constexpr (W == 1)
      return of(std::fabs(a.v));
    else // keeps all bits except the sign
      return of((V)((Bits)a.v & std::numeric_limits<typename Vector<W, E>::Bits>::max()));
  }

private:
  using Bits = typename Vector<W, E>::mask;

  template <class Compare>
  NEML2_INLINE static Mask compared(const Pack & a, const Pack & b)
  {
    Mask r;
    compare_lanes<W, E>(a.v, b.v, r.m, Compare());
    return r;
  }
};

/// a in the lanes where c holds, b in the others; a and b are plain numbers.
template <int W,
          class E,
          class A,
          class B,
          std::enable_if_t<std::is_arithmetic_v<A> && std::is_arithmetic_v<B>, int> = 0>
NEML2_INLINE Pack<W, E>
where(const Mask<W, E> & c, A a, B b)
{
  return where(c, Pack<W, E>(E(a)), Pack<W, E>(E(b)));
}
} // namespace neml2::packs
