// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/inline.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

/**
 * Packs of rows, and the choice of the instruction set. Nothing else in the library knows of either.
 *
 * A Pack<E, W> holds one component of W rows, one a lane. On x86-64 with gcc or clang it is a vector
 * of the compiler's vector extension; the driver's loop is compiled twice, for AVX2+FMA (32-byte
 * packs) and for the baseline (16-byte packs: wider ones are lowered badly), and one is chosen when the program
 * runs. Everywhere else, and without optimisation, where formulas are not inlined into the loop, a
 * pack is one number.
 */
#if defined(__x86_64__) && defined(__OPTIMIZE__) && defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define NEML2_SIMD
#endif
#endif

namespace neml2::core
{
template <class E, int W>
struct Vector // of the compiler's vector extension
{
  typedef E type __attribute__((vector_size(W * sizeof(E))));
  using Integer = std::conditional_t<sizeof(E) == 8, int64_t, int32_t>;
  typedef Integer mask __attribute__((vector_size(W * sizeof(E))));
};
template <class E>
struct Vector<E, 1>
{
  using type = E;
  using mask = bool;
};

/**
 * One component of W rows.
 *
 * The copy constructor is not trivial, so a pack is passed in memory whatever the target: a formula
 * that is not inlined into the loop is slow, never wrong.
 */
template <class E, int W>
struct Pack
{
  using Element = E;
  using V = typename Vector<E, W>::type;
  static constexpr int width = W;

  V v;

  NEML2_INLINE Pack() : v{} {}
  NEML2_INLINE Pack(const Pack & other) : v(other.v) {}
  NEML2_INLINE Pack & operator=(const Pack & other)
  {
    v = other.v;
    return *this;
  }
  NEML2_INLINE Pack(double x) : v(E(x) - V{}) {} // subtracting zero keeps the sign of -0
  /// W numbers side by side, wherever they lie.
  NEML2_INLINE static Pack load(const E * numbers)
  {
    Pack p;
    std::memcpy(&p.v, numbers, sizeof(V));
    return p;
  }
  NEML2_INLINE void store(E * numbers) const { std::memcpy(numbers, &v, sizeof(V)); }

  NEML2_INLINE static Pack of(const V & x)
  {
    Pack p;
    p.v = x;
    return p;
  }

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
};

/// One truth value a lane: what comparing packs gives, and where() takes.
template <class E, int W>
struct Mask
{
  typename Vector<E, W>::mask m;

  NEML2_INLINE Mask() : m{} {}
  NEML2_INLINE explicit Mask(const typename Vector<E, W>::mask & x) : m(x) {}
  NEML2_INLINE Mask(const Mask & other) : m(other.m) {}
  NEML2_INLINE Mask & operator=(const Mask & other)
  {
    m = other.m;
    return *this;
  }
};

// Arithmetic. Plain numbers are doubles in every formula, whatever the packs hold.

template <class E, int W>
NEML2_INLINE Pack<E, W>
operator-(const Pack<E, W> & a)
{
  return Pack<E, W>::of(-a.v);
}
template <class E, int W>
NEML2_INLINE Pack<E, W>
operator+(const Pack<E, W> & a, const Pack<E, W> & b)
{
  return Pack<E, W>::of(a.v + b.v);
}
template <class E, int W>
NEML2_INLINE Pack<E, W>
operator+(const Pack<E, W> & a, double b)
{
  return Pack<E, W>::of(a.v + E(b));
}
template <class E, int W>
NEML2_INLINE Pack<E, W>
operator+(double a, const Pack<E, W> & b)
{
  return Pack<E, W>::of(E(a) + b.v);
}
template <class E, int W>
NEML2_INLINE Pack<E, W>
operator-(const Pack<E, W> & a, const Pack<E, W> & b)
{
  return Pack<E, W>::of(a.v - b.v);
}
template <class E, int W>
NEML2_INLINE Pack<E, W>
operator-(const Pack<E, W> & a, double b)
{
  return Pack<E, W>::of(a.v - E(b));
}
template <class E, int W>
NEML2_INLINE Pack<E, W>
operator-(double a, const Pack<E, W> & b)
{
  return Pack<E, W>::of(E(a) - b.v);
}
template <class E, int W>
NEML2_INLINE Pack<E, W>
operator*(const Pack<E, W> & a, const Pack<E, W> & b)
{
  return Pack<E, W>::of(a.v * b.v);
}
template <class E, int W>
NEML2_INLINE Pack<E, W>
operator*(const Pack<E, W> & a, double b)
{
  return Pack<E, W>::of(a.v * E(b));
}
template <class E, int W>
NEML2_INLINE Pack<E, W>
operator*(double a, const Pack<E, W> & b)
{
  return Pack<E, W>::of(E(a) * b.v);
}
template <class E, int W>
NEML2_INLINE Pack<E, W>
operator/(const Pack<E, W> & a, const Pack<E, W> & b)
{
  return Pack<E, W>::of(a.v / b.v);
}
template <class E, int W>
NEML2_INLINE Pack<E, W>
operator/(const Pack<E, W> & a, double b)
{
  return Pack<E, W>::of(a.v / E(b));
}
template <class E, int W>
NEML2_INLINE Pack<E, W>
operator/(double a, const Pack<E, W> & b)
{
  return Pack<E, W>::of(E(a) / b.v);
}

// Comparisons and selection

template <class E, int W>
NEML2_INLINE Mask<E, W>
operator<(const Pack<E, W> & a, const Pack<E, W> & b)
{
  return Mask<E, W>(a.v < b.v);
}
template <class E, int W>
NEML2_INLINE Mask<E, W>
operator<(const Pack<E, W> & a, double b)
{
  return Mask<E, W>(a.v < Pack<E, W>(b).v);
}
template <class E, int W>
NEML2_INLINE Mask<E, W>
operator>(const Pack<E, W> & a, const Pack<E, W> & b)
{
  return b < a;
}
template <class E, int W>
NEML2_INLINE Mask<E, W>
operator>(const Pack<E, W> & a, double b)
{
  return Mask<E, W>(a.v > Pack<E, W>(b).v);
}

/// a in the lanes where c holds, b in the others.
template <class E, int W>
NEML2_INLINE Pack<E, W>
where(const Mask<E, W> & c, const Pack<E, W> & a, const Pack<E, W> & b)
{
  return Pack<E, W>::of(c.m ? a.v : b.v);
}

#ifdef NEML2_SIMD
namespace simd
{
typedef double Double2 __attribute__((vector_size(16)));
typedef float Float4 __attribute__((vector_size(16)));

// The instructions by 16-byte halves, which both copies of the loop have.

NEML2_INLINE Pack<double, 2>
sqrt(const Pack<double, 2> & a)
{
  return Pack<double, 2>::of(__builtin_ia32_sqrtpd(a.v));
}
NEML2_INLINE Pack<double, 4>
sqrt(const Pack<double, 4> & a)
{
  const Double2 lo = __builtin_ia32_sqrtpd(__builtin_shufflevector(a.v, a.v, 0, 1));
  const Double2 hi = __builtin_ia32_sqrtpd(__builtin_shufflevector(a.v, a.v, 2, 3));
  return Pack<double, 4>::of(__builtin_shufflevector(lo, hi, 0, 1, 2, 3));
}
NEML2_INLINE Pack<float, 4>
sqrt(const Pack<float, 4> & a)
{
  return Pack<float, 4>::of(__builtin_ia32_sqrtps(a.v));
}
NEML2_INLINE Pack<float, 8>
sqrt(const Pack<float, 8> & a)
{
  const Float4 lo = __builtin_ia32_sqrtps(__builtin_shufflevector(a.v, a.v, 0, 1, 2, 3));
  const Float4 hi = __builtin_ia32_sqrtps(__builtin_shufflevector(a.v, a.v, 4, 5, 6, 7));
  return Pack<float, 8>::of(__builtin_shufflevector(lo, hi, 0, 1, 2, 3, 4, 5, 6, 7));
}
} // namespace simd
#endif

/// √a by the instruction: std::sqrt reports errors in errno, which keeps it out of vector code.
template <class E, int W>
NEML2_INLINE Pack<E, W>
sqrt(const Pack<E, W> & a)
{
#ifdef NEML2_SIMD
  if constexpr (W > 1)
    return simd::sqrt(a);
#endif
  Pack<E, W> r;
  for (int w = 0; w < W; w++)
    r.lane(w, std::sqrt(a.lane(w)));
  return r;
}

/// Where the rows that fill the lanes begin. Lanes past the end of the batch repeat the last row when
/// loaded, so that one body serves whole blocks and the remainder.
template <class P>
struct Lanes
{
  using E = typename P::Element;
  E * row[P::width];

  NEML2_INLINE Lanes(E * first, int64_t stride, int64_t rows)
  {
    NEML2_UNROLL
    for (int w = 0; w < P::width; w++)
      row[w] = first + (w < rows ? w : rows - 1) * stride;
  }
};

#ifdef NEML2_SIMD
namespace simd
{
typedef double UnalignedDouble2 __attribute__((vector_size(16), aligned(8), may_alias));
typedef float UnalignedFloat4 __attribute__((vector_size(16), aligned(4), may_alias));

// Transposing: each step moves as many components of all lanes as a 16-byte load holds.

NEML2_INLINE void
load_step(Pack<double, 2> * x, const Lanes<Pack<double, 2>> & l, int k)
{
  const Double2 a = *(const UnalignedDouble2 *)(l.row[0] + k),
                b = *(const UnalignedDouble2 *)(l.row[1] + k);
  x[k].v = __builtin_shufflevector(a, b, 0, 2);
  x[k + 1].v = __builtin_shufflevector(a, b, 1, 3);
}

NEML2_INLINE void
store_step(const Pack<double, 2> * x, const Lanes<Pack<double, 2>> & l, int k)
{
  *(UnalignedDouble2 *)(l.row[0] + k) = __builtin_shufflevector(x[k].v, x[k + 1].v, 0, 2);
  *(UnalignedDouble2 *)(l.row[1] + k) = __builtin_shufflevector(x[k].v, x[k + 1].v, 1, 3);
}

NEML2_INLINE void
load_step(Pack<double, 4> * x, const Lanes<Pack<double, 4>> & l, int k)
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
store_step(const Pack<double, 4> * x, const Lanes<Pack<double, 4>> & l, int k)
{
  const auto ac = __builtin_shufflevector(x[k].v, x[k + 1].v, 0, 4, 2, 6);
  const auto bd = __builtin_shufflevector(x[k].v, x[k + 1].v, 1, 5, 3, 7);
  *(UnalignedDouble2 *)(l.row[0] + k) = __builtin_shufflevector(ac, ac, 0, 1);
  *(UnalignedDouble2 *)(l.row[1] + k) = __builtin_shufflevector(bd, bd, 0, 1);
  *(UnalignedDouble2 *)(l.row[2] + k) = __builtin_shufflevector(ac, ac, 2, 3);
  *(UnalignedDouble2 *)(l.row[3] + k) = __builtin_shufflevector(bd, bd, 2, 3);
}

NEML2_INLINE void
load_step(Pack<float, 4> * x, const Lanes<Pack<float, 4>> & l, int k)
{
  const Float4 a = *(const UnalignedFloat4 *)(l.row[0] + k),
               b = *(const UnalignedFloat4 *)(l.row[1] + k),
               c = *(const UnalignedFloat4 *)(l.row[2] + k),
               d = *(const UnalignedFloat4 *)(l.row[3] + k);
  const auto ab0 = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const auto ab2 = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const auto cd0 = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const auto cd2 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  x[k].v = __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5);
  x[k + 1].v = __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7);
  x[k + 2].v = __builtin_shufflevector(ab2, cd2, 0, 1, 4, 5);
  x[k + 3].v = __builtin_shufflevector(ab2, cd2, 2, 3, 6, 7);
}

NEML2_INLINE void
store_step(const Pack<float, 4> * x, const Lanes<Pack<float, 4>> & l, int k)
{
  const auto ab0 = __builtin_shufflevector(x[k].v, x[k + 1].v, 0, 4, 1, 5);
  const auto ab2 = __builtin_shufflevector(x[k].v, x[k + 1].v, 2, 6, 3, 7);
  const auto cd0 = __builtin_shufflevector(x[k + 2].v, x[k + 3].v, 0, 4, 1, 5);
  const auto cd2 = __builtin_shufflevector(x[k + 2].v, x[k + 3].v, 2, 6, 3, 7);
  *(UnalignedFloat4 *)(l.row[0] + k) = __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5);
  *(UnalignedFloat4 *)(l.row[1] + k) = __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7);
  *(UnalignedFloat4 *)(l.row[2] + k) = __builtin_shufflevector(ab2, cd2, 0, 1, 4, 5);
  *(UnalignedFloat4 *)(l.row[3] + k) = __builtin_shufflevector(ab2, cd2, 2, 3, 6, 7);
}

// Eight floats: lanes w and w + 4 travel in the two halves of one vector.

NEML2_INLINE void
load_step(Pack<float, 8> * x, const Lanes<Pack<float, 8>> & l, int k)
{
  const auto both = [&](int w) __attribute__((always_inline))
  {
    const Float4 a = *(const UnalignedFloat4 *)(l.row[w] + k),
                 b = *(const UnalignedFloat4 *)(l.row[w + 4] + k);
    return Pack<float, 8>::of(__builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7));
  };
  const auto a = both(0), b = both(1), c = both(2), d = both(3);
  const auto ab0 = __builtin_shufflevector(a.v, b.v, 0, 8, 1, 9, 4, 12, 5, 13);
  const auto ab2 = __builtin_shufflevector(a.v, b.v, 2, 10, 3, 11, 6, 14, 7, 15);
  const auto cd0 = __builtin_shufflevector(c.v, d.v, 0, 8, 1, 9, 4, 12, 5, 13);
  const auto cd2 = __builtin_shufflevector(c.v, d.v, 2, 10, 3, 11, 6, 14, 7, 15);
  x[k].v = __builtin_shufflevector(ab0, cd0, 0, 1, 8, 9, 4, 5, 12, 13);
  x[k + 1].v = __builtin_shufflevector(ab0, cd0, 2, 3, 10, 11, 6, 7, 14, 15);
  x[k + 2].v = __builtin_shufflevector(ab2, cd2, 0, 1, 8, 9, 4, 5, 12, 13);
  x[k + 3].v = __builtin_shufflevector(ab2, cd2, 2, 3, 10, 11, 6, 7, 14, 15);
}

NEML2_INLINE void
store_step(const Pack<float, 8> * x, const Lanes<Pack<float, 8>> & l, int k)
{
  const auto ab0 = __builtin_shufflevector(x[k].v, x[k + 1].v, 0, 8, 1, 9, 4, 12, 5, 13);
  const auto ab2 = __builtin_shufflevector(x[k].v, x[k + 1].v, 2, 10, 3, 11, 6, 14, 7, 15);
  const auto cd0 = __builtin_shufflevector(x[k + 2].v, x[k + 3].v, 0, 8, 1, 9, 4, 12, 5, 13);
  const auto cd2 = __builtin_shufflevector(x[k + 2].v, x[k + 3].v, 2, 10, 3, 11, 6, 14, 7, 15);
  const auto both = [&](int w, const auto & p) __attribute__((always_inline))
  {
    *(UnalignedFloat4 *)(l.row[w] + k) = __builtin_shufflevector(p.v, p.v, 0, 1, 2, 3);
    *(UnalignedFloat4 *)(l.row[w + 4] + k) = __builtin_shufflevector(p.v, p.v, 4, 5, 6, 7);
  };
  both(0, Pack<float, 8>::of(__builtin_shufflevector(ab0, cd0, 0, 1, 8, 9, 4, 5, 12, 13)));
  both(1, Pack<float, 8>::of(__builtin_shufflevector(ab0, cd0, 2, 3, 10, 11, 6, 7, 14, 15)));
  both(2, Pack<float, 8>::of(__builtin_shufflevector(ab2, cd2, 0, 1, 8, 9, 4, 5, 12, 13)));
  both(3, Pack<float, 8>::of(__builtin_shufflevector(ab2, cd2, 2, 3, 10, 11, 6, 7, 14, 15)));
}
} // namespace simd
#endif

/// How many components of all lanes one step moves; 1 where components move one by one.
template <int N, class P>
constexpr int
step_components()
{
  constexpr int step = 16 / int(sizeof(typename P::Element));
  return P::width > 1 && N >= step ? step : 1;
}

/// Loads N adjacent components of the rows in the lanes, one component a pack. The last step may
/// overlap the one before.
template <int N, class P>
NEML2_INLINE void
load_rows(P * x, const Lanes<P> & lanes)
{
  constexpr int step = step_components<N, P>();
  NEML2_UNROLL
  for (int i = 0; i < (N + step - 1) / step; i++)
  {
    const int k = i * step + step <= N ? i * step : N - step;
    if constexpr (step == 1)
    {
      NEML2_UNROLL
      for (int w = 0; w < P::width; w++)
        x[k].lane(w, lanes.row[w][k]);
    }
#ifdef NEML2_SIMD
    else
      simd::load_step(x, lanes, k);
#endif
  }
}

/// Stores N adjacent components of the rows in the lanes.
template <int N, class P>
NEML2_INLINE void
store_rows(const P * x, const Lanes<P> & lanes)
{
  constexpr int step = step_components<N, P>();
  NEML2_UNROLL
  for (int i = 0; i < (N + step - 1) / step; i++)
  {
    const int k = i * step + step <= N ? i * step : N - step;
    if constexpr (step == 1)
    {
      NEML2_UNROLL
      for (int w = 0; w < P::width; w++)
        lanes.row[w][k] = x[k].lane(w);
    }
#ifdef NEML2_SIMD
    else
      simd::store_step(x, lanes, k);
#endif
  }
}

#ifdef NEML2_SIMD
inline bool
has_avx2()
{
  static const bool yes = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return yes;
}

// flatten: the whole formula, lambdas included, is inlined here and so compiled for this target.
template <class E, class Body, class... Args>
__attribute__((target("avx2,fma"), flatten, noinline)) void
run_avx2(Args... args)
{
  Body::template run<Pack<E, int(32 / sizeof(E))>>(args...);
}

template <class E, class Body, class... Args>
__attribute__((flatten, noinline)) void
run_baseline(Args... args)
{
  Body::template run<Pack<E, int(16 / sizeof(E))>>(args...);
}
#else
template <class E, class Body, class... Args>
void
run_plain(Args... args)
{
  Body::template run<Pack<E, 1>>(args...);
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

/// Body::run<Pack>(args...) on packs of E, compiled for the best instruction set of this machine.
template <class E, class Body, class... Args>
Compiled<Args...>
compiled()
{
#ifdef NEML2_SIMD
  if (has_avx2())
    return {run_avx2<E, Body, Args...>, int(32 / sizeof(E))};
  return {run_baseline<E, Body, Args...>, int(16 / sizeof(E))};
#else
  return {run_plain<E, Body, Args...>, 1};
#endif
}
} // namespace neml2::core
