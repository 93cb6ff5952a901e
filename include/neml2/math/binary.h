// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/fill.h"
#include "neml2/math/Components.h"
#include "neml2/math/componentwise.h"

#include <cmath>
#include <limits>

/// Functions of two arguments, component by component: elementwise.h describes shapes, dtypes and errors.
namespace neml2
{
namespace math
{
struct NEML2_ONE_A_PROGRAM Atan2
{
  static constexpr auto name = "atan2";
  template <class A, class B>
  NEML2_INLINE auto operator()(const A & s, const B & c) const
  {
    using std::atan2;
    return atan2(s, c);
  }
};

struct NEML2_ONE_A_PROGRAM Hypot
{
  static constexpr auto name = "hypot";
  template <class A, class B>
  NEML2_INLINE auto operator()(const A & a, const B & b) const
  {
    using std::hypot;
    return hypot(a, b);
  }
};
} // namespace math

namespace math
{
/// Throws unless the dtype of a tensor is an integer type.
inline void
check_integers(const Operation & op, const Operand & o)
{
  check_operand(op, o);
  NEML2_CHECK(c10::isIntegralType(o.tensor->scalar_type(), /*includeBool=*/false),
              op.name,
              ": not defined for dtype ",
              dtype_name(o.tensor->scalar_type()),
              " (",
              o,
              "). Expected an integer type; convert with .to(kInt64).");
}

/// Refuses negative integer exponents, for which LibTorch returns 0 unless the base is 1 or -1. The check synchronises with a GPU.
inline void
check_exponent(const at::Tensor & n)
{
  if (!n.is_floating_point() && has_known_values(n))
    NEML2_CHECK(!n.lt(0).any().item<bool>(),
                "pow: some exponents of integers, of the shape ",
                n.sizes(),
                ", are negative. Their powers are fractions: convert with .to(kFloat64).");
}

/// √(x² + y²). Its derivative is 0 where both are 0; LibTorch's derivative is NaN there.
inline at::Tensor
length_of_two(const at::Tensor & x, const at::Tensor & y)
{
  if (only_values(x, y))
    return x.hypot(y);
  const at::Tensor is_zero = x.eq(0).bitwise_and(y.eq(0));
  return select(is_zero, 0, select(is_zero, 1, x).hypot(y));
}

/// x - y trunc(x / y). LibTorch's derivative with respect to y is the rounded quotient: -10 for x = 1 and y = 0.1, but x - 9 y is the value.
inline at::Tensor
remainder_of_two(const at::Tensor & x, const at::Tensor & y)
{
  const Dtype dtype = c10::promoteTypes(x.scalar_type(), y.scalar_type());
  if (only_values(x, y) || !c10::isFloatingType(dtype))
    return x.fmod(y);
  const double most = dtype == kFloat64   ? std::numeric_limits<double>::max()
                      : dtype == kFloat16 ? 65504
                                          : 3e38;                   // of float32 and bfloat16
  const at::Tensor r = x.fmod(y.detach()), change = y - y.detach(); // 0, or NaN if y is infinite
  const at::Tensor quotient = ((x - r) / y).detach().round().clamp(-most, most);
  return r - quotient * select(change.eq(0), change, 0);
}

/// Whether LibTorch computes this power by products, a quotient or a root.
inline bool
is_plain_power(double n)
{
  for (const double plain : {0.0, 1.0, 2.0, 3.0, -1.0, -2.0, 0.5, -0.5})
    if (n == plain)
      return true;
  return false;
}

/// Each integer divided by the greatest common divisor of all integers of its batch entry. A batch entry of zeros is
/// unchanged.
inline at::Tensor
over_gcd(const at::Tensor & x, Size batch_dim)
{
  const at::Tensor flat = x.flatten(batch_dim);
  at::Tensor divisor = flat.select(-1, 0);
  for (Size i = 1; i < flat.size(-1); i++)
    divisor = divisor.gcd(flat.select(-1, i));
  // the division is exact; zeros are divided by 1
  return x.div(composed::append_dims(divisor, x.dim() - batch_dim).clamp_min(1), "trunc");
}
} // namespace math

/// a^n of two tensors of one type, of a tensor and a Scalar (either may be the exponent), or of a tensor and a number n:
/// (...; base), (...; ) -> (...; base). n has no unit; the unit of the result is the n-th power of the unit of a. The result
/// is NaN where a < 0 and n is not an integer. The derivative with respect to n is a^n log a. For integers and floating types.
/// @throws NEMLException also for an integer with a negative integer exponent, and for a complex number. The check of a
/// tensor of exponents synchronises with a GPU.
template <class A, class B, math::if_elementwise<A, B, math::is_elementwise<A, B>> = 0>
math::elementwise_t<A, B>
pow(const A & a, const B & n)
{
  return math::number_by_number<core::Accepts::numbers>(
      math::Pow(),
      [](const at::Tensor & x, const at::Tensor & y)
      {
        math::check_exponent(y);
        return x.pow(y);
      },
      a,
      n);
}
template <class A, class N, core::if_tensor<A> = 0, core::if_number<N> = 0>
A
pow(const A & a, const N & n)
{
  const core::Operation op("pow", core::Accepts::numbers);
  const double value = core::real_value(op.name, core::number(n));
  core::check_operand(op, core::operand(a));
  const auto power = [&](const at::Tensor & x) { return x.pow(core::number(n)); };
  if (math::is_plain_power(value))
    return math::componentwise(op, a, power);
  const at::Tensor & x = a;
  return A(core::Trusted(),
           engine::evaluate_numbers(
               op,
               A::type_name,
               math::Pow(),
               [&](const at::Tensor & t, double) { return power(t); },
               x,
               value),
           a.batch_dim());
}
/// a^n for a number a and exponents n, all without unit: (...; base) -> (...; base). The result is NaN where a < 0 and
/// n is not an integer. The derivative with respect to n is a^n log a. For integers and floating types.
/// @throws NEMLException also if a is complex, or if a is an integer and n contains a negative integer. The check of n
/// synchronises with a GPU.
template <class N, class B, core::if_number<N> = 0, core::if_tensor<B> = 0>
B
pow(const N & a, const B & n)
{
  const core::Operation op("pow", core::Accepts::numbers);
  const double value = core::real_value(op.name, core::number(a));
  core::check_operand(op, core::operand(n));
  const at::Tensor & exponent = n;
  return B(core::Trusted(),
           engine::evaluate_numbers(
               op,
               B::type_name,
               math::Pow(),
               [&](double, const at::Tensor & x)
               {
                 if (!core::number(a).isFloatingPoint())
                   math::check_exponent(x);
                 return at::pow(core::number(a), x);
               },
               value,
               exponent),
           n.batch_dim());
}

namespace math
{
/// The number x as a tensor without batch dimensions, with the base shape of a and the options that options_beside(a, x) returns.
template <class A, class N>
A
filled_like(const char * name, const A & a, const N & x)
{
  check_defined(name, a);
  const CScalar n = number(x);
  real_value(name, n);
  return A(Trusted(), at::full({}, n, options_beside(a, n)).expand(a.base_sizes()), 0);
}
template <class A, class N>
using if_tensor_and_number = std::enable_if_t<core::is_tensor<A> && core::is_number<N>, int>;
} // namespace math

/// The angle φ in [-π, π], in radians, of the point (x, y) = r (cos φ, sin φ). x and y have the same unit. The angle is
/// 0 for x = y = 0, where no derivative exists. (...; base), (...; base) -> (...; base), where y or x may be a number. For floating types.
template <class A, core::if_tensor<A> = 0>
A
atan2(const A & y, const A & x)
{
  return math::number_by_number(
      math::Atan2(), [](const at::Tensor & s, const at::Tensor & c) { return s.atan2(c); }, y, x);
}
template <class A, class N, math::if_tensor_and_number<A, N> = 0>
A
atan2(const A & y, const N & x)
{
  return atan2(y, math::filled_like("atan2", y, x));
}
template <class N, class A, math::if_tensor_and_number<A, N> = 0>
A
atan2(const N & y, const A & x)
{
  return atan2(math::filled_like("atan2", x, y), x);
}

/// √(a² + b²) in the common unit of a and b, computed so that the squares neither overflow nor underflow. It is ∞ where a or b is infinite,
/// even if the other is NaN. Its derivative is 0 where both are 0. (...; base), (...; base) -> (...; base), where a or b may be a
/// number. For floating types.
template <class A, core::if_tensor<A> = 0>
A
hypot(const A & a, const A & b)
{
  return math::number_by_number(math::Hypot(), math::length_of_two, a, b);
}
template <class A, class N, math::if_tensor_and_number<A, N> = 0>
A
hypot(const A & a, const N & b)
{
  return hypot(a, math::filled_like("hypot", a, b));
}
template <class N, class A, math::if_tensor_and_number<A, N> = 0>
A
hypot(const N & a, const A & b)
{
  return hypot(math::filled_like("hypot", b, a), b);
}

/// Remainder a - b trunc(a/b) of the division a/b, with the sign of a, in the common unit of a and b: (...; base),
/// (...; base) -> (...; base). Either may be a Scalar or a number. For integers, too. The derivative with respect to a is 1, and the
/// derivative with respect to b is -trunc(a/b). Floating types give NaN where b is 0.
/// @throws NEMLException also for an integer divided by 0 on the CPU, and for a complex number.
template <class A, class B, math::if_elementwise<A, B, math::is_elementwise<A, B>> = 0>
math::elementwise_t<A, B>
fmod(const A & a, const B & b)
{
  return math::componentwise(
      core::Operation("fmod", core::Accepts::numbers), a, b, math::remainder_of_two);
}
template <class A, class N, core::if_tensor<A> = 0, core::if_number<N> = 0>
A
fmod(const A & a, const N & b)
{
  core::real_value("fmod", core::number(b));
  return math::componentwise(core::Operation("fmod", core::Accepts::numbers),
                             a,
                             [&](const at::Tensor & x) { return x.fmod(core::number(b)); });
}
template <class N, class A, math::if_tensor_and_number<A, N> = 0>
A
fmod(const N & a, const A & b)
{
  return fmod(math::filled_like("fmod", b, a), b);
}

/// Greatest common divisor of a and b, which is never negative; gcd(0, b) = |b|. (...; base), (...; base) -> (...; base), where
/// a or b may be a Scalar. Only for integers.
template <class A, class B, math::if_elementwise<A, B, math::is_elementwise<A, B>> = 0>
math::elementwise_t<A, B>
gcd(const A & a, const B & b)
{
  const core::Operation op("gcd", core::Accepts::any);
  for (const auto & o : math::tensors_among(a, b))
    math::check_integers(op, o);
  return math::componentwise(
      op, a, b, [](const at::Tensor & x, const at::Tensor & y) { return x.gcd(y); });
}

/// a divided by the greatest common divisor of all its base components, as for Miller indices:
/// (4, -2, 6) becomes (2, -1, 3). (...; base) -> (...; base). A tensor with one component always gives 1; a tensor with several
/// components that are all 0 is unchanged. Floating types are first rounded to the default integer dtype.
template <class A, core::if_tensor<A> = 0>
A
normalize_gcd(const A & a)
{
  return math::componentwise(core::Operation("normalize_gcd", core::Accepts::numbers),
                             a,
                             [&](const at::Tensor & x)
                             {
                               const at::Tensor i = x.is_floating_point()
                                                        ? x.round().to(get_default_integer_dtype())
                                                        : x;
                               const Size n = a.base_storage();
                               return n == 1   ? at::ones(i.sizes(), i.options())
                                      : n == 0 ? i
                                               : math::over_gcd(i, a.batch_dim());
                             });
}

// These overloads refuse two types that have no such operation. Without them the compiler would choose LibTorch's
// functions, which silently align batch dimensions with base dimensions.

template <class A, class B>
auto
pow(const TensorBase<A> &, const TensorBase<B> &)
{
  return math::no_such_operation<A, B>();
}
template <class A, class B>
auto
atan2(const TensorBase<A> &, const TensorBase<B> &)
{
  return math::no_such_operation<A, B>();
}
template <class A, class B>
auto
hypot(const TensorBase<A> &, const TensorBase<B> &)
{
  return math::no_such_operation<A, B>();
}
template <class A, class B>
auto
fmod(const TensorBase<A> &, const TensorBase<B> &)
{
  return math::no_such_operation<A, B>();
}
template <class A, class B>
auto
gcd(const TensorBase<A> &, const TensorBase<B> &)
{
  return math::no_such_operation<A, B>();
}
} // namespace neml2

#include "neml2/math/extremum.h"
