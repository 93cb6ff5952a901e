// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/inline.h"

#include <cmath>
#include <type_traits>

namespace neml2::kernels
{
constexpr double pi = 3.141592653589793;

/// One scalar is the number itself.
template <class T>
using Scalar = T;

/**
 * Base of packs (packs/Pack.h), dual numbers (Dual.h) and symbols (recorded/Symbol.h). Besides plain numbers, these are the types that the
 * components of a row (one tensor of a batch) may have.
 *
 * Through this base, argument-dependent lookup finds the functions of rows.
 */
template <class Self>
struct Component
{
};

/// The type of the value of a number that may carry derivatives, as duals do.
template <class T>
struct plain_number
{
  using type = T;
};

/// The type of the number inside all levels of nested duals, and how many levels there are.
template <class T>
struct innermost_number
{
  using type = T;
  static constexpr int levels = 0;
};

/// Whether T is float32, or a pack of float32 numbers.
template <class T, class = void>
constexpr bool is_float32 = std::is_same_v<T, float>;
template <class T>
constexpr bool is_float32<T, std::void_t<typename T::Element>> =
    std::is_same_v<typename T::Element, float>;

/// Whether a T has a value. Plain numbers and packs have one; the numbers of a recording (a list of operations) do not.
template <class T, class = void>
constexpr bool is_computed = std::is_arithmetic_v<T>;
template <class T>
constexpr bool is_computed<T, std::void_t<typename T::Element>> = true;

/// Enables an overload for the types that the components of a row may have.
template <class T>
using if_component =
    std::enable_if_t<std::is_arithmetic_v<T> || std::is_base_of_v<Component<T>, T>, int>;

// The functions of plain numbers that packs and duals define as friends.

/// a where c holds, otherwise b. Both are computed: there is no branch.
template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
NEML2_INLINE constexpr T
where(bool c, T a, T b)
{
  return c ? a : b;
}

/// Whether a condition holds: for packs, in any lane (any) or in all lanes (all).
NEML2_INLINE constexpr bool
any(bool c)
{
  return c;
}
NEML2_INLINE constexpr bool
all(bool c)
{
  return c;
}

/// |a|
template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
NEML2_INLINE constexpr T
abs(T a)
{
  return a < 0 ? -a : a;
}

/// The larger of a and b; b where they are equal, NaN where either is NaN.
template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
NEML2_INLINE constexpr T
maximum(T a, T b)
{
  return a > b || a != a ? a : b;
}

/// The smaller of a and b; b where they are equal, NaN where either is NaN.
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

/// Whether a is 0 or -0.
template <class T>
NEML2_INLINE constexpr auto
equals_zero(const T & a)
{
  return (a <= 0.0) & (a >= 0.0);
}

/// -1 for numbers below 0, otherwise 1; without derivative.
template <class T>
NEML2_INLINE constexpr T
side_of(const T & a)
{
  return where(a < 0.0, T(-1.0), T(1.0));
}

/// 1 for a above 0, -1 below 0, otherwise a itself: a zero of either sign, or NaN.
template <class T, if_component<T> = 0>
NEML2_INLINE constexpr T
sign(const T & a)
{
  return where(a > T(0), T(1), where(a < T(0), T(-1), a * T(0))); // 0 and NaN, without derivatives
}

/// Heaviside step: 1 above 0, 1/2 at 0, 0 below.
template <class T, if_component<T> = 0>
NEML2_INLINE constexpr T
heaviside(const T & a)
{
  return T(0.5) * sign(a) + T(0.5);
}

/// Macaulay bracket: a above 0, otherwise 0. Its derivative is heaviside(a).
template <class T, if_component<T> = 0>
NEML2_INLINE constexpr T
macaulay(const T & a)
{
  return maximum(a, T(0));
}

/// Derivative of macaulay(a).
template <class T, if_component<T> = 0>
NEML2_INLINE constexpr T
dmacaulay(const T & a)
{
  return heaviside(a);
}

/// Degrees to radians.
template <class T, if_component<T> = 0>
NEML2_INLINE constexpr T
deg2rad(const T & a)
{
  return a * T(pi / 180);
}

/// Radians to degrees.
template <class T, if_component<T> = 0>
NEML2_INLINE constexpr T
rad2deg(const T & a)
{
  return a * T(180 / pi);
}

/// a clamped to [lower, upper]; each bound has the type of a or is a plain number. If lower > upper,
/// the result is upper. At a bound the derivative is the derivative of a.
template <class T, class Lower, class Upper, if_component<T> = 0>
NEML2_INLINE constexpr auto
clamp(const T & a, const Lower & lower, const Upper & upper)
{
  return minimum(upper, maximum(lower, a));
}

/// √s of a sum of squares s. Where s is 0 its derivative is 0, a subgradient of the norm.
template <class T>
NEML2_INLINE T
norm_of_square(const T & s)
{
  return sqrt(s);
}

/// Applies f to the number, or to the number in each lane of a pack. It is used for functions of the standard library that
/// packs do not have.
template <class T, class F>
NEML2_INLINE T
each_lane(const T & a, const F & f)
{
  if constexpr (std::is_arithmetic_v<T>)
    return f(a);
  else
  {
    T r;
    for (int w = 0; w < T::width; w++)
      r.lane(w, f(a.lane(w)));
    return r;
  }
}
} // namespace neml2::kernels
