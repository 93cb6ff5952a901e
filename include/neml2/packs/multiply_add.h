// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/packs/Pack.h"

#include <type_traits>

/// Products that are added with one rounding where the machine can, whatever a compiler does of itself: so what is computed by
/// them has the same bits in every program.
namespace neml2::packs
{
/// a b + c
template <int W, class E>
NEML2_INLINE Pack<W, E>
multiply_add(const Pack<W, E> & a, const Pack<W, E> & b, const Pack<W, E> & c)
{
#if defined(__FP_FAST_FMA) || defined(NEML2_ON_DEVICE)
  if constexpr (W == 1 && std::is_same_v<E, double>)
    return Pack<W, E>(std::fma(a.v, b.v, c.v));
#endif
  return a * b + c;
}
#ifdef NEML2_SIMD
__attribute__((target("avx2,fma"))) inline Pack<4>
multiply_add(const Pack<4> & a, const Pack<4> & b, const Pack<4> & c)
{
#if __has_builtin(__builtin_elementwise_fma)
  return Pack<4>::of(__builtin_elementwise_fma(a.v, b.v, c.v));
#else
  return Pack<4>::of(__builtin_ia32_vfmaddpd256(a.v, b.v, c.v));
#endif
}
__attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma"))) inline Pack<8>
multiply_add(const Pack<8> & a, const Pack<8> & b, const Pack<8> & c)
{
#if __has_builtin(__builtin_elementwise_fma)
  return Pack<8>::of(__builtin_elementwise_fma(a.v, b.v, c.v));
#else
  return Pack<8>::of(__builtin_ia32_vfmaddpd512_mask(a.v, b.v, c.v, -1, 4));
#endif
}
#endif

/// a b - c
template <int W, class E>
NEML2_INLINE Pack<W, E>
multiply_subtract(const Pack<W, E> & a, const Pack<W, E> & b, const Pack<W, E> & c)
{
  return multiply_add(a, b, -c);
}

/// c - a b
template <int W, class E>
NEML2_INLINE Pack<W, E>
subtract_product(const Pack<W, E> & a, const Pack<W, E> & b, const Pack<W, E> & c)
{
  return multiply_add(-a, b, c);
}
} // namespace neml2::packs
