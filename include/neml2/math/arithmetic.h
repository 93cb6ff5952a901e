// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/PrimitiveTensor.h"
#include "neml2/engine/evaluate.h"

#include <cmath>

/// What + - * / are made of: the types they are defined for, and how they run component by component.
namespace neml2
{
namespace math
{
struct NEML2_ONE_A_PROGRAM Plus
{
  static constexpr auto name = "+";
  template <class X, class Y>
  NEML2_INLINE auto operator()(const X & x, const Y & y) const
  {
    return x + y;
  }
};

struct NEML2_ONE_A_PROGRAM Minus
{
  static constexpr auto name = "-";
  template <class X, class Y>
  NEML2_INLINE auto operator()(const X & x, const Y & y) const
  {
    return x - y;
  }
};

struct NEML2_ONE_A_PROGRAM Times
{
  static constexpr auto name = "*";
  template <class X, class Y>
  NEML2_INLINE auto operator()(const X & x, const Y & y) const
  {
    return x * y;
  }
};

struct NEML2_ONE_A_PROGRAM Over
{
  static constexpr auto name = "/";
  template <class X, class Y>
  NEML2_INLINE auto operator()(const X & x, const Y & y) const
  {
    return x / y;
  }
};

struct NEML2_ONE_A_PROGRAM Pow
{
  static constexpr auto name = "pow";
  template <class X, class Y>
  NEML2_INLINE auto operator()(const X & x, const Y & y) const
  {
    using std::pow;
    return pow(x, y);
  }
};
} // namespace math

namespace math
{
using namespace core; // the names of lower rooms
using namespace engine;
using namespace packs;

template <class T>
constexpr bool false_for = false;

/// What an elementwise operation on an A and a B is; void where there is none.
template <class A, class B>
constexpr auto
elementwise_result()
{
  if constexpr (std::is_same_v<A, B>)
    return static_cast<A *>(nullptr);
  else if constexpr (std::is_same_v<B, Scalar>)
    return static_cast<A *>(nullptr);
  else if constexpr (std::is_same_v<A, Scalar>)
    return static_cast<B *>(nullptr);
  else
    return static_cast<void *>(nullptr);
}
template <class A, class B>
using elementwise_t = std::remove_pointer_t<decltype(elementwise_result<A, B>())>;

template <class A, class B>
constexpr bool is_elementwise = !std::is_void_v<elementwise_t<A, B>>;

/// * of a type with itself is a product of its own, or none.
template <class A, class B>
constexpr bool multiplies_elementwise = is_elementwise<A, B> &&
                                        (!std::is_same_v<A, B> || std::is_same_v<A, Scalar> ||
                                         std::is_same_v<A, Tensor>);

template <class A, class B, bool Defined>
using if_elementwise = std::enable_if_t<is_tensor<A> && is_tensor<B> && Defined, int>;

/// Base shapes of Tensors broadcast too, each aligned at its last dimension.
inline void
check_base_broadcast(const Operation & op, const Operand & a, const Operand & b)
{
  if (C10_UNLIKELY(!utils::sizes_broadcastable(a.base, b.base)))
    fail(op.name,
         ": base shapes ",
         a.base,
         " and ",
         b.base,
         " do not broadcast. Make them equal, or make a size 1 (base_unsqueeze). The operands are ",
         a,
         " and ",
         b,
         ".");
}
template <class A, class B>
std::enable_if_t<is_tensor<A>>
check_base_broadcast(const Operation & op, const A & a, const B & b)
{
  check_base_broadcast(op, operand(a), operand(b));
}

/// The dtype of an operation on both.
inline Dtype
promote(const char * name, const at::Tensor & a, const at::Tensor & b)
{
  return translate_errors(name,
                          [&] { return c10::promoteTypes(a.scalar_type(), b.scalar_type()); });
}

/// The operand with all its dimensions batch dimensions.
inline Operand
all_batch(const Operand & o)
{
  return {o.tensor, o.type, o.tensor->dim(), {}};
}

/// Up to so many numbers of float32 a loop is faster than LibTorch's call; from there on LibTorch is.
constexpr Size few_numbers = 2048;

/// All components alike: f on each number, for float64. Many of float32 are left to LibTorch, whose
/// operations on adjacent numbers are as fast.
template <class... Numbers, class F>
at::Tensor
evaluate_flat(const Operation & op,
              const F & f,
              ArrayRef<Operand> flat,
              c10::function_ref<void(at::Tensor *)> composed)
{
  const TensorShape shape = broadcast_batch(op, flat);
  const bool many = utils::numel(shape) > few_numbers;
  const TensorShapeRef bases[] = {Number::base_shape};
  at::Tensor r;
  if (many && flat[0].tensor->scalar_type() == kFloat32)
    composed(&r);
  else
  {
    using Tile = ForwardTile<F, Types<Number>, Types<Numbers...>>;
    evaluate({op, flat, shape, row_formula<Tile>(f), bases, composed, no_gradient}, &r);
  }
  return r;
}

template <class T, class = void>
constexpr bool has_rows = false;
/// A primitive type that fused loops read row by row: the largest ones are not worth it.
template <class T>
constexpr bool has_rows<T, std::void_t<typename T::template Row<double>>> = is_primitive<T>;

/// f(a, b) component by component.
template <class Op, class A, class B>
elementwise_t<A, B>
elementwise(const Op & f, const A & a, const B & b)
{
  using Result = elementwise_t<A, B>;
  const Operation op(Op::name, Accepts::any);
  const Operand o[] = {operand(a), operand(b)};
  check_operands(op, o, /*mixed_dtypes=*/true);
  check_base_broadcast(op, a, b);
  const TensorShape batch = broadcast_batch(op, o);
  const Size base_dim = std::max(a.base_dim(), b.base_dim());
  const auto left = [&] { return align_base(a, a.batch_dim(), base_dim); };
  const auto right = [&] { return align_base(b, b.batch_dim(), base_dim); };
  const auto composed = [&](at::Tensor * result)
  {
    const auto dtype = promote(Op::name, a, b);
    call_translated(
        Op::name, [&] { *result = f(left().to(dtype), right().to(dtype)); }, o);
  };
  at::Tensor r;
  constexpr bool alike = std::is_same_v<A, B>;
  bool by_rows = false; // one scalar a row, or whole rows broadcast
  if constexpr (has_rows<A> && has_rows<B> && !(alike && std::is_same_v<A, Scalar>))
    by_rows = !alike || (a.scalar_type() == kFloat64 && a.sizes() != b.sizes());
  if (by_rows)
  {
    if constexpr (has_rows<A> && has_rows<B>)
    {
      using Tile = ForwardTile<Op, Types<Result>, Types<A, B>>;
      const TensorShapeRef bases[] = {Result::base_shape};
      evaluate({op, o, batch, row_formula<Tile>(f), bases, composed, rule_of<Op, A, B>}, &r);
    }
  }
  else if constexpr (!is_primitive<A> || !is_primitive<B> || alike)
  {
    const at::Tensor x = left(), y = right();
    const Operand flat[] = {all_batch({&x, o[0].type, 0, {}}), all_batch({&y, o[1].type, 0, {}})};
    r = evaluate_flat<Number, Number>(op, f, flat, composed);
  }
  else
    composed(&r);
  return Result(Trusted(), std::move(r), Size(batch.size()));
}

/// Component by component with a plain number.
template <class Op, class A>
A
elementwise_number(const Op & f, const A & a)
{
  const Operation op(Op::name, Accepts::any);
  const Operand o = operand(a);
  check_operand(op, o);
  Op g = f;
  if (a.scalar_type() == kFloat32)
    g.value = float(g.value); // as LibTorch's
  const auto composed = [&](at::Tensor * r)
  {
    call_translated(
        Op::name, [&] { *r = f(static_cast<const at::Tensor &>(a)); }, o);
  };
  return A(Trusted(), evaluate_flat<Number>(op, g, all_batch(o), composed), a.batch_dim());
}

/// op with a plain number as its right, or as its left operand: a double to rows, and a CScalar to LibTorch, which
/// promotes by it.
template <class Op, bool NumberFirst = false>
struct WithNumber
{
  static constexpr auto name = Op::name;
  CScalar number;
  double value;

  explicit WithNumber(const CScalar & n) : number(n), value(real_value(name, n)) {}
  template <class X>
  NEML2_INLINE auto operator()(const X & x) const
  {
    if constexpr (NumberFirst)
      return Op()(value, x);
    else
      return Op()(x, value);
  }
  at::Tensor operator()(const at::Tensor & x) const
  {
    if constexpr (NumberFirst && std::is_same_v<Op, math::Over>)
      return x.reciprocal() * number; // what torch's n / t is, and integers too
    else if constexpr (NumberFirst)
      return Op()(number, x);
    else
      return Op()(x, number);
  }
};

/// Enables an operator for exactly these two types, without conversions: a raw at::Tensor operand
/// stays with LibTorch's operator.
template <class A, class First, class B, class Second>
using if_types = std::enable_if_t<std::is_same_v<A, First> && std::is_same_v<B, Second>, int>;

template <class A, class B>
constexpr bool
no_such_operation()
{
  static_assert(
      false_for<std::pair<A, B>>,
      "this operation is not defined for these two tensor types: convert one of them to the "
      "other's type first (or both to neml2::Tensor for elementwise arithmetic), or use the "
      "function you mean, such as inner, outer or *");
  return false;
}

} // namespace math
} // namespace neml2
