// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/packs/Pack.h"

// If a machine has a fused multiply-add, which rounds a product and a sum only once, gcc uses it even across functions; clang does
// not use it across functions. In a formula of the caller gcc must not use it: √(a a - b b) would be NaN at a = b.
#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#define NEML2_ROUNDS_PRODUCTS __attribute__((optimize("fp-contract=off"), NEML2_FLATTEN noinline))
#else
#define NEML2_ROUNDS_PRODUCTS
#endif

/**
 * A product and a sum that are one instruction of a recorded formula. They are rounded separately, as in batches: if they were rounded only
 * once, a b - a b would not be 0.
 */
namespace neml2::packs
{
/// a b + c
template <int W, class E>
NEML2_INLINE Pack<W, E>
multiply_add(const Pack<W, E> & a, const Pack<W, E> & b, const Pack<W, E> & c)
{
  return a * b + c;
}

/// a b - c
template <int W, class E>
NEML2_INLINE Pack<W, E>
multiply_subtract(const Pack<W, E> & a, const Pack<W, E> & b, const Pack<W, E> & c)
{
  return a * b - c;
}

/// c - a b
template <int W, class E>
NEML2_INLINE Pack<W, E>
subtract_product(const Pack<W, E> & a, const Pack<W, E> & b, const Pack<W, E> & c)
{
  return c - a * b;
}
} // namespace neml2::packs
