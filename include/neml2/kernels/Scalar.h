// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/inline.h"

#include <cmath>
#include <type_traits>

namespace neml2::kernels
{
/// One scalar is the number itself.
template <class T>
using Scalar = T;

/**
 * Base of what the components of a row may be besides numbers: packs and dual numbers.
 *
 * Argument-dependent lookup finds the functions of rows through it.
 */
template <class Self>
struct Component
{
};

// The functions of plain numbers that packs and duals bring as friends.

/// a where c holds, else b: both are computed, nothing branches.
template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
NEML2_INLINE constexpr T
where(bool c, T a, T b)
{
  return c ? a : b;
}

/// |a|
template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
NEML2_INLINE constexpr T
abs(T a)
{
  return a < 0 ? -a : a;
}

/// The larger one; b where they are equal, NaN where one is NaN.
template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
NEML2_INLINE constexpr T
maximum(T a, T b)
{
  return a > b || a != a ? a : b;
}

/// The smaller one; b where they are equal, NaN where one is NaN.
template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
NEML2_INLINE constexpr T
minimum(T a, T b)
{
  return a < b || a != a ? a : b;
}

/// √a
template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
NEML2_INLINE T
sqrt(T a)
{
  return std::sqrt(a);
}

/// √s of a sum of squares s. Where s is 0 its derivative is 0, a subgradient of the norm.
template <class T>
NEML2_INLINE T
norm_of_square(const T & s)
{
  return sqrt(s);
}
} // namespace neml2::kernels
