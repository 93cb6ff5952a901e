// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/packs/Pack.h"

/**
 * A product and a sum as one instruction of a recorded formula. Product and sum round separately, as they do on batches: with one
 * rounding a b - a b would not be 0.
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
