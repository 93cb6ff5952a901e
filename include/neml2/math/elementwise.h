// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/operators.h"

#include <cmath>

/**
 * Functions that work component by component, on tensors of any type of the library.
 *
 * The result has the type and batch dimension of the argument: (...; base) -> (...; base). Of two
 * arguments, batch shapes broadcast with batch shapes and base shapes, for Tensor, with base shapes,
 * each aligned at its last dimension; a Scalar is one number a batch entry. Each is one operation of
 * LibTorch, whose derivatives it has. The components are the stored ones: a function of an SR2 takes
 * its Mandel components, and is no tensor function in the sense of mechanics.
 *
 * All throw NEMLException for an undefined tensor, for a dtype they are not defined for, and for two
 * arguments of different dtypes or devices or of shapes that do not broadcast.
 */
namespace neml2
{
namespace core
{
/// f(a) component by component.
template <class A>
A
componentwise(const Operation & op,
              const A & a,
              c10::function_ref<at::Tensor(const at::Tensor &)> f)
{
  check_operand(op, operand(a));
  return A(Trusted(), translate_errors(op.name, [&] { return f(a); }), a.batch_dim());
}

/// f(a, b) component by component, of arguments whose base dimensions are aligned.
template <class A, class B>
elementwise_t<A, B>
componentwise(const Operation & op,
              const A & a,
              const B & b,
              c10::function_ref<at::Tensor(const at::Tensor &, const at::Tensor &)> f)
{
  const Operand o[] = {operand(a), operand(b)};
  check_operands(op, o);
  check_base_broadcast(op, a, b);
  const Size n = Size(broadcast_batch(op, o).size());
  const Size base_dim = std::max(a.base_dim(), b.base_dim());
  const at::Tensor x = align_base(a, a.batch_dim(), base_dim),
                   y = align_base(b, b.batch_dim(), base_dim);
  return elementwise_t<A, B>(Trusted(), translate_errors(op.name, [&] { return f(x, y); }), n);
}

/// a where the condition holds, else b; one of them may be a number.
template <class X, class Y>
at::Tensor
select(const at::Tensor & condition, const X & a, const Y & b)
{
  return condition.is_meta() ? a + b + condition // of the same shape; at::where has no meta kernel
                             : at::where(condition, a, b);
}

/// The larger or the smaller of two: the second one at a tie, NaN if either is. LibTorch's own
/// functions, several times as fast, share the derivative out at a tie; they serve where nothing is
/// differentiated.
template <bool Larger>
struct Extremum
{
  static constexpr Operation op{Larger ? "maximum" : "minimum", Accepts::numbers};

  static at::Tensor of(const at::Tensor & a, const at::Tensor & b)
  {
    if (only_values(a, b))
      return Larger ? a.maximum(b) : a.minimum(b);
    const at::Tensor first = Larger ? a.gt(b) : a.lt(b);
    return select(a.is_floating_point() ? first.bitwise_or(a.ne(a)) : first, a, b);
  }
  // Comparing with NaN is false, which leaves the tensor its own.
  static at::Tensor of(const at::Tensor & a, const CScalar & b)
  {
    const bool nan = is_nan(b);
    if (!nan && only_values(a))
      return clamped(a, b);
    return select(nan ? a.eq(a) : Larger ? a.le(b) : a.ge(b), b, a);
  }
  static at::Tensor of(const CScalar & a, const at::Tensor & b)
  {
    const bool nan = is_nan(a);
    if (!nan && only_values(b))
      return clamped(b, a);
    return select(nan ? b.eq(b) : Larger ? b.lt(a) : b.gt(a), a, b);
  }

private:
  template <class... T>
  static bool only_values(const T &... t)
  {
    return are_fusible({all_batch({&t, "Tensor", 0, {}})...});
  }
  static bool is_nan(const CScalar & n) { return std::isnan(real_value(op.name, n)); }
  static at::Tensor clamped(const at::Tensor & t, const CScalar & n)
  {
    return Larger ? t.clamp_min(n) : t.clamp_max(n);
  }
};

/// Enables an overload for what may be a condition.
template <class C>
using if_condition = std::enable_if_t<std::is_convertible_v<const C &, const at::Tensor &>, int>;

/// The condition of where as an operand: all its dimensions are batch dimensions.
template <class C>
Operand
condition_operand(const C & condition)
{
  if constexpr (is_tensor<C>)
    NEML2_CHECK(condition.base_dim() == 0,
                "where: the condition ",
                operand(condition),
                " has base dimensions. Expected one truth value a batch entry: a Scalar, or a raw "
                "tensor of the batch shape.");
  const at::Tensor & c = condition;
  return {&c, "condition", c.defined() ? c.dim() : 0, {}};
}

/// Checks the condition and the tensors to choose from; the batch dimension of the result.
inline Size
check_choice(const Operation & op, ArrayRef<Operand> o)
{
  check_operands(op, o, /*mixed_dtypes=*/true);
  const Dtype dtype = o[0].tensor->scalar_type();
  NEML2_CHECK(dtype == c10::kBool,
              op.name,
              ": the condition is ",
              dtype_name(dtype),
              ", expected bool: compare it with something.");
  check_operands(op, o.slice(1));
  return Size(broadcast_batch(op, o).size());
}

/// A tensor with base_dim base dimensions, or a number.
template <class X>
auto
aligned(const X & x, Size base_dim)
{
  if constexpr (is_tensor<X>)
    return align_base(x, x.batch_dim(), base_dim);
  else
    return number(x);
}

/// where, of one or two tensors of type A.
template <class A, class C, class X, class Y>
A
choose(const C & condition, const X & a, const Y & b)
{
  const Operation op("where", Accepts::any);
  SmallVector<Operand, 3> o{condition_operand(condition)};
  Size base_dim = 0;
  if constexpr (is_tensor<X>)
  {
    o.push_back(operand(a));
    base_dim = a.base_dim();
  }
  if constexpr (is_tensor<Y>)
  {
    o.push_back(operand(b));
    base_dim = std::max(base_dim, b.base_dim());
  }
  const Size n = check_choice(op, o);
  if constexpr (std::is_same_v<X, Y>)
    check_base_broadcast(op, a, b);
  at::Tensor c = condition;
  for (Size d = 0; d < base_dim; d++)
    c = c.unsqueeze(-1);
  return A(Trusted(),
           translate_errors(op.name,
                            [&] { return select(c, aligned(a, base_dim), aligned(b, base_dim)); }),
           n);
}
} // namespace core

// ---- One argument ------------------------------------------------------------------------------

/// |a|, in the unit of a. Its gradient at 0 is 0. Integers too; not the least of a signed type.
template <class A, core::if_tensor<A> = 0>
A
abs(const A & a)
{
  return core::componentwise(core::Operation("abs", core::Accepts::numbers),
                             a,
                             [](const at::Tensor & x) { // at::abs has no meta kernel
                               return x.is_meta() ? x.maximum(x.neg()) : x.abs();
                             });
}

/// √a, in the square root of the unit of a. NaN below 0; its derivative is infinite at 0. Floating
/// types.
template <class A, core::if_tensor<A> = 0>
A
sqrt(const A & a)
{
  return core::componentwise("sqrt", a, [](const at::Tensor & x) { return x.sqrt(); });
}

/// e^a of a without unit. Floating types.
template <class A, core::if_tensor<A> = 0>
A
exp(const A & a)
{
  return core::componentwise("exp", a, [](const at::Tensor & x) { return x.exp(); });
}

/// Natural logarithm of a without unit. -∞ at 0, NaN below. Floating types.
template <class A, core::if_tensor<A> = 0>
A
log(const A & a)
{
  return core::componentwise("log", a, [](const at::Tensor & x) { return x.log(); });
}

/// sin a of an angle in radians. NaN where a is infinite. Floating types.
template <class A, core::if_tensor<A> = 0>
A
sin(const A & a)
{
  return core::componentwise("sin", a, [](const at::Tensor & x) { return x.sin(); });
}

/// cos a of an angle in radians. NaN where a is infinite. Floating types.
template <class A, core::if_tensor<A> = 0>
A
cos(const A & a)
{
  return core::componentwise("cos", a, [](const at::Tensor & x) { return x.cos(); });
}

/// tan a of an angle in radians. NaN where a is infinite. Floating types.
template <class A, core::if_tensor<A> = 0>
A
tan(const A & a)
{
  return core::componentwise("tan", a, [](const at::Tensor & x) { return x.tan(); });
}

/// Angle in [-π/2, π/2] whose sine is a, in radians. NaN outside [-1, 1]; its derivative is infinite
/// at the ends. Floating types.
template <class A, core::if_tensor<A> = 0>
A
asin(const A & a)
{
  return core::componentwise("asin", a, [](const at::Tensor & x) { return x.asin(); });
}

/// Angle in [0, π] whose cosine is a, in radians. NaN outside [-1, 1]; its derivative is infinite at
/// the ends. Floating types.
template <class A, core::if_tensor<A> = 0>
A
acos(const A & a)
{
  return core::componentwise("acos", a, [](const at::Tensor & x) { return x.acos(); });
}

// ---- Two arguments -----------------------------------------------------------------------------

/// a^n for an exponent n of the type of a, a Scalar or a number: (...; base), (...; ) -> (...; base).
/// n has no unit; the unit of the result is that of a to the n. NaN where a < 0 and n is no integer.
/// The derivative by n is a^n log a. Integers and floating types.
/// @throws NEMLException also for integers to a negative number, or a complex number.
template <class A, class B, core::if_elementwise<A, B, core::is_elementwise<A, B>> = 0>
core::elementwise_t<A, B>
pow(const A & a, const B & n)
{
  return core::componentwise(core::Operation("pow", core::Accepts::numbers),
                             a,
                             n,
                             [](const at::Tensor & x, const at::Tensor & y) { return x.pow(y); });
}
template <class A, class N, core::if_tensor<A> = 0, core::if_number<N> = 0>
A
pow(const A & a, const N & n)
{
  core::real_value("pow", core::number(n));
  return core::componentwise(core::Operation("pow", core::Accepts::numbers),
                             a,
                             [&](const at::Tensor & x) { return x.pow(core::number(n)); });
}
/// The number a to the n.
template <class N, class B, core::if_number<N> = 0, core::if_tensor<B> = 0>
B
pow(const N & a, const B & n)
{
  core::real_value("pow", core::number(a));
  return core::componentwise(core::Operation("pow", core::Accepts::numbers),
                             n,
                             [&](const at::Tensor & x) { return at::pow(core::number(a), x); });
}

/// Angle of the point (x, y) = r (cos φ, sin φ): φ in [-π, π], in radians. Both have the same unit.
/// 0 for x = y = 0, where there is no derivative. Floating types.
template <class A, core::if_tensor<A> = 0>
A
atan2(const A & y, const A & x)
{
  return core::componentwise(
      "atan2", y, x, [](const at::Tensor & s, const at::Tensor & c) { return s.atan2(c); });
}

/// The larger of a and b, each a tensor, a Scalar or a number, in their common unit. NaN if either
/// is. At a tie the derivative goes to b: that of maximum(x, 0), the positive part, is 0 at 0.
/// Integers and floating types.
/// @throws NEMLException also for a complex number.
template <class A, class B, core::if_elementwise<A, B, core::is_elementwise<A, B>> = 0>
core::elementwise_t<A, B>
maximum(const A & a, const B & b)
{
  using Larger = core::Extremum<true>;
  return core::componentwise(Larger::op,
                             a,
                             b,
                             [](const at::Tensor & x, const at::Tensor & y)
                             { return Larger::of(x, y); });
}
template <class A, class N, core::if_tensor<A> = 0, core::if_number<N> = 0>
A
maximum(const A & a, const N & b)
{
  using Larger = core::Extremum<true>;
  return core::componentwise(
      Larger::op, a, [&](const at::Tensor & x) { return Larger::of(x, core::number(b)); });
}
template <class N, class B, core::if_number<N> = 0, core::if_tensor<B> = 0>
B
maximum(const N & a, const B & b)
{
  using Larger = core::Extremum<true>;
  return core::componentwise(
      Larger::op, b, [&](const at::Tensor & x) { return Larger::of(core::number(a), x); });
}

/// The smaller of a and b, each a tensor, a Scalar or a number, in their common unit. NaN if either
/// is. At a tie the derivative goes to b. Integers and floating types.
/// @throws NEMLException also for a complex number.
template <class A, class B, core::if_elementwise<A, B, core::is_elementwise<A, B>> = 0>
core::elementwise_t<A, B>
minimum(const A & a, const B & b)
{
  using Smaller = core::Extremum<false>;
  return core::componentwise(Smaller::op,
                             a,
                             b,
                             [](const at::Tensor & x, const at::Tensor & y)
                             { return Smaller::of(x, y); });
}
template <class A, class N, core::if_tensor<A> = 0, core::if_number<N> = 0>
A
minimum(const A & a, const N & b)
{
  using Smaller = core::Extremum<false>;
  return core::componentwise(
      Smaller::op, a, [&](const at::Tensor & x) { return Smaller::of(x, core::number(b)); });
}
template <class N, class B, core::if_number<N> = 0, core::if_tensor<B> = 0>
B
minimum(const N & a, const B & b)
{
  using Smaller = core::Extremum<false>;
  return core::componentwise(
      Smaller::op, b, [&](const at::Tensor & x) { return Smaller::of(core::number(a), x); });
}

// ---- where -------------------------------------------------------------------------------------

/// a where the condition holds, else b: two tensors of one type, or a tensor and a number. The
/// condition is one truth value a batch entry, a Scalar or a raw tensor with batch dimensions only:
/// (...; ) bool, (...; base), (...; base) -> (...; base). In the common unit of a and b; any dtype.
/// Both are evaluated: guard the untaken one against division by zero before differentiating.
/// @throws NEMLException also unless the condition is bool.
template <class C, class A, core::if_condition<C> = 0, core::if_tensor<A> = 0>
A
where(const C & condition, const A & a, const A & b)
{
  return core::choose<A>(condition, a, b);
}
template <class C,
          class A,
          class N,
          core::if_condition<C> = 0,
          core::if_tensor<A> = 0,
          core::if_number<N> = 0>
A
where(const C & condition, const A & a, const N & b)
{
  return core::choose<A>(condition, a, b);
}
template <class C,
          class N,
          class B,
          core::if_condition<C> = 0,
          core::if_number<N> = 0,
          core::if_tensor<B> = 0>
B
where(const C & condition, const N & a, const B & b)
{
  return core::choose<B>(condition, a, b);
}

// What is left: two of our types without such an operation. LibTorch's functions would be a worse
// match, and silently align batch with base dimensions.

template <class A, class B>
auto
pow(const TensorBase<A> &, const TensorBase<B> &)
{
  return core::no_such_operation<A, B>();
}
template <class A, class B>
auto
atan2(const TensorBase<A> &, const TensorBase<B> &)
{
  return core::no_such_operation<A, B>();
}
template <class A, class B>
auto
maximum(const TensorBase<A> &, const TensorBase<B> &)
{
  return core::no_such_operation<A, B>();
}
template <class A, class B>
auto
minimum(const TensorBase<A> &, const TensorBase<B> &)
{
  return core::no_such_operation<A, B>();
}
template <class C, class A, class B, core::if_condition<C> = 0>
auto
where(const C &, const TensorBase<A> &, const TensorBase<B> &)
{
  return core::no_such_operation<A, B>();
}
} // namespace neml2
