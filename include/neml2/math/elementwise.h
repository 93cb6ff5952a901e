// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/componentwise.h"

#include <cmath>

/**
 * Functions that work component by component, on tensors of any type of the library: functions of one argument here, functions of two
 * arguments in binary.h and extremum.h, and `where` in where.h. The end of this header includes the other three headers.
 *
 * The result has the type and the batch dimensions of the argument: (...; base) -> (...; base). For two
 * arguments, batch shapes broadcast with batch shapes; base shapes of Tensors broadcast with base
 * shapes; each is aligned at its last dimension. A Scalar is one number per batch entry. A function either
 * consists of a few operations of LibTorch and has their derivatives, or runs in a loop over the numbers
 * and has derivative rules of its own. The components are the stored ones: a function of an SR2 takes its
 * Mandel components, and is not a tensor function in the sense of mechanics.
 *
 * All throw NEMLException for an undefined tensor, for a dtype for which they are not defined, and
 * for two arguments of different dtypes or devices or of shapes that do not broadcast. NaN gives
 * NaN, except that pow(NaN, 0) and pow(1, NaN) are 1 and hypot(∞, NaN) is ∞.
 */
namespace neml2
{
namespace math
{
struct NEML2_ONE_A_PROGRAM Cbrt
{
  static constexpr auto name = "cbrt";
  template <class A>
  NEML2_INLINE auto operator()(const A & x) const
  {
    using std::cbrt;
    return cbrt(x);
  }
};

struct NEML2_ONE_A_PROGRAM Sinh
{
  static constexpr auto name = "sinh";
  template <class A>
  NEML2_INLINE auto operator()(const A & x) const
  {
    using std::sinh;
    return sinh(x);
  }
};

struct NEML2_ONE_A_PROGRAM Cosh
{
  static constexpr auto name = "cosh";
  template <class A>
  NEML2_INLINE auto operator()(const A & x) const
  {
    using std::cosh;
    return cosh(x);
  }
};

struct NEML2_ONE_A_PROGRAM Atanh
{
  static constexpr auto name = "atanh";
  template <class A>
  NEML2_INLINE auto operator()(const A & x) const
  {
    using std::atanh;
    return atanh(x);
  }
};
} // namespace math

namespace math
{
/// The sign of each number; NaN for NaN, while LibTorch's sign of NaN is 0.
inline at::Tensor
sign_of(const at::Tensor & x)
{
  return x.is_floating_point() ? select(x.eq(x), x.sign(), x) : x.sign();
}

/// (sign a + 1)/2
template <class A>
A
step(const Operation & op, const A & a)
{
  return number_by_number(
      op,
      [](const auto & x) { return kernels::heaviside(x); },
      [](const at::Tensor & x) { return (sign_of(x) + 1) * 0.5; },
      a);
}

inline at::Tensor
magnitude(const at::Tensor & x)
{
  return x.is_meta() ? x.maximum(x.neg()) : x.abs(); // at::abs has no meta kernel
}

/// (x + |x|)/2, whose derivative at 0 is 1/2; 0 is selected for x < 0, because for x = -∞ the sum would be NaN.
inline at::Tensor
positive_part(const at::Tensor & x)
{
  return only_values(x) ? x.clamp_min(0)
                        : select(x.lt(0), 0, x * 0.5 + magnitude(x) * 0.5); // ∞ - ∞ for x = -∞
}

/// The real cube root, as the root of |x| times the sign of x. This avoids 0 · ∞ in the derivative at 0, which is
/// infinite.
inline at::Tensor
cube_root(const at::Tensor & x)
{
  const at::Tensor negative = x.lt(0);
  const at::Tensor root = select(negative, x.neg(), x).pow(1.0 / 3.0);
  return root * select(negative, at::full({}, -1, x.options().requires_grad(false)), 1);
}
} // namespace math

/// |a|, in the unit of a. (...; base) -> (...; base). For integers, too, except the least number of a signed type. The
/// gradient at 0 is 0.
template <class A, core::if_tensor<A> = 0>
A
abs(const A & a)
{
  return math::componentwise(core::Operation("abs", core::Accepts::numbers), a, math::magnitude);
}

/// 1 where a > 0, 0 where a = 0, -1 where a < 0, without unit. (...; base) -> (...; base). For
/// integers, too. The gradient is 0.
template <class A, core::if_tensor<A> = 0>
A
sign(const A & a)
{
  return math::number_by_number(
      core::Operation("sign", core::Accepts::numbers),
      [](const auto & x) { return kernels::sign(x); },
      math::sign_of,
      a);
}

/// Heaviside step (sign a + 1)/2: 1 where a > 0, 1/2 where a = 0, 0 where a < 0, without unit. Its
/// gradient is 0. (...; base) -> (...; base). For floating types.
template <class A, core::if_tensor<A> = 0>
A
heaviside(const A & a)
{
  return math::step("heaviside", a);
}

/// Macaulay bracket ⟨a⟩ = a heaviside(a), the positive part, in the unit of a. Its derivative is heaviside(a), which is
/// 1/2 at a = 0; there the derivative of maximum(a, 0) is 0. (...; base) -> (...; base). For floating types.
template <class A, core::if_tensor<A> = 0>
A
macaulay(const A & a)
{
  return math::componentwise("macaulay", a, math::positive_part);
}

/// heaviside(a), the derivative of macaulay(a) with respect to a. (...; base) -> (...; base). For floating types.
template <class A, core::if_tensor<A> = 0>
A
dmacaulay(const A & a)
{
  return math::step("dmacaulay", a);
}

/// √a, in the square root of the unit of a. NaN below 0; its derivative is infinite at 0.
/// (...; base) -> (...; base). For floating types.
template <class A, core::if_tensor<A> = 0>
A
sqrt(const A & a)
{
  return math::componentwise("sqrt", a, [](const at::Tensor & x) { return x.sqrt(); });
}

/// Cube root of a, real also below 0, in the cube root of the unit of a. Its derivative is infinite
/// at 0. (...; base) -> (...; base). For floating types.
template <class A, core::if_tensor<A> = 0>
A
cbrt(const A & a)
{
  return math::number_by_number(math::Cbrt(), math::cube_root, a);
}

/// e^a, where a has no unit. (...; base) -> (...; base). For floating types.
template <class A, core::if_tensor<A> = 0>
A
exp(const A & a)
{
  return math::componentwise("exp", a, [](const at::Tensor & x) { return x.exp(); });
}

/// e^a - 1, where a has no unit, accurate to rounding also near a = 0. (...; base) -> (...; base). For floating types.
template <class A, core::if_tensor<A> = 0>
A
expm1(const A & a)
{
  return math::componentwise("expm1", a, [](const at::Tensor & x) { return x.expm1(); });
}

/// Natural logarithm of a, which has no unit. It is -∞ at 0 and NaN below. (...; base) -> (...; base). For floating types.
template <class A, core::if_tensor<A> = 0>
A
log(const A & a)
{
  return math::componentwise("log", a, [](const at::Tensor & x) { return x.log(); });
}

/// Natural logarithm log(1 + a), where a has no unit, accurate to rounding also near a = 0. It is -∞ at -1 and NaN below. (...; base) ->
/// (...; base). For floating types.
template <class A, core::if_tensor<A> = 0>
A
log1p(const A & a)
{
  return math::componentwise("log1p", a, [](const at::Tensor & x) { return x.log1p(); });
}

/// Logarithm to base 10 of a, which has no unit. It is -∞ at 0 and NaN below. (...; base) -> (...; base). For
/// floating types.
template <class A, core::if_tensor<A> = 0>
A
log10(const A & a)
{
  return math::componentwise("log10", a, [](const at::Tensor & x) { return x.log10(); });
}

/// Degrees to radians: a π/180. (...; base) -> (...; base). For floating types.
template <class A, core::if_tensor<A> = 0>
A
deg2rad(const A & a)
{
  return math::componentwise("deg2rad", a, [](const at::Tensor & x) { return x * (pi / 180); });
}

/// Radians to degrees: a 180/π. (...; base) -> (...; base). For floating types.
template <class A, core::if_tensor<A> = 0>
A
rad2deg(const A & a)
{
  return math::componentwise("rad2deg", a, [](const at::Tensor & x) { return x * (180 / pi); });
}

/// sin a of an angle a in radians. NaN where a is infinite. (...; base) -> (...; base). For floating types.
template <class A, core::if_tensor<A> = 0>
A
sin(const A & a)
{
  return math::componentwise("sin", a, [](const at::Tensor & x) { return x.sin(); });
}

/// cos a of an angle a in radians. NaN where a is infinite. (...; base) -> (...; base). For floating types.
template <class A, core::if_tensor<A> = 0>
A
cos(const A & a)
{
  return math::componentwise("cos", a, [](const at::Tensor & x) { return x.cos(); });
}

/// tan a of an angle a in radians. NaN where a is infinite. (...; base) -> (...; base). For floating types.
template <class A, core::if_tensor<A> = 0>
A
tan(const A & a)
{
  return math::componentwise("tan", a, [](const at::Tensor & x) { return x.tan(); });
}

/// Angle in [-π/2, π/2] whose sine is a, in radians. NaN outside [-1, 1]; its derivative is
/// infinite at the ends. (...; base) -> (...; base). For floating types.
template <class A, core::if_tensor<A> = 0>
A
asin(const A & a)
{
  return math::componentwise("asin", a, [](const at::Tensor & x) { return x.asin(); });
}

/// Angle in [0, π] whose cosine is a, in radians. NaN outside [-1, 1]; its derivative is infinite
/// at the ends. (...; base) -> (...; base). For floating types.
template <class A, core::if_tensor<A> = 0>
A
acos(const A & a)
{
  return math::componentwise("acos", a, [](const at::Tensor & x) { return x.acos(); });
}

/// Angle in [-π/2, π/2] whose tangent is a, in radians. (...; base) -> (...; base). For floating types.
template <class A, core::if_tensor<A> = 0>
A
atan(const A & a)
{
  return math::componentwise("atan", a, [](const at::Tensor & x) { return x.atan(); });
}

/// (e^a - e^-a)/2, where a has no unit. (...; base) -> (...; base). For floating types.
template <class A, core::if_tensor<A> = 0>
A
sinh(const A & a)
{
  return math::number_by_number(
      math::Sinh(), [](const at::Tensor & x) { return x.sinh(); }, a);
}

/// (e^a + e^-a)/2, where a has no unit. (...; base) -> (...; base). For floating types.
template <class A, core::if_tensor<A> = 0>
A
cosh(const A & a)
{
  return math::number_by_number(
      math::Cosh(), [](const at::Tensor & x) { return x.cosh(); }, a);
}

/// sinh a / cosh a, where a has no unit. (...; base) -> (...; base). For floating types.
template <class A, core::if_tensor<A> = 0>
A
tanh(const A & a)
{
  return math::componentwise("tanh", a, [](const at::Tensor & x) { return x.tanh(); });
}

/// The number whose sinh is a. (...; base) -> (...; base). For floating types.
template <class A, core::if_tensor<A> = 0>
A
asinh(const A & a)
{
  return math::componentwise("asinh", a, [](const at::Tensor & x) { return x.asinh(); });
}

/// The non-negative number whose cosh is a. It is NaN for a < 1; its derivative is infinite at 1. (...; base) ->
/// (...; base). For floating types.
template <class A, core::if_tensor<A> = 0>
A
acosh(const A & a)
{
  return math::componentwise("acosh", a, [](const at::Tensor & x) { return x.acosh(); });
}

/// The number whose tanh is a. It is ±∞ at ±1, and NaN for |a| > 1. (...; base) -> (...; base). For floating types.
template <class A, core::if_tensor<A> = 0>
A
atanh(const A & a)
{
  return math::number_by_number(
      math::Atanh(), [](const at::Tensor & x) { return x.atanh(); }, a);
}
} // namespace neml2

#include "neml2/math/binary.h"
#include "neml2/math/where.h"
