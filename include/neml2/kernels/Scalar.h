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

/// a where c holds, else b: both are computed, nothing branches. Packs bring their own overload.
template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
NEML2_INLINE constexpr T
where(bool c, T a, T b)
{
  return c ? a : b;
}

/// |a|, by where() of the number type.
template <class T>
NEML2_INLINE constexpr T
abs(const T & a)
{
  return where(a < 0.0, T(-a), a);
}

/// √a of a plain number; for packs and duals, found by argument-dependent lookup.
template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
NEML2_INLINE T
sqrt(T a)
{
  return std::sqrt(a);
}
} // namespace neml2::kernels
