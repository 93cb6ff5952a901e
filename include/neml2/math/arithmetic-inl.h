// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/evaluate.h"
#include "neml2/math/arithmetic.h"
#include "neml2/packs/elementwise_tile.h"

namespace neml2::math
{
/// Whether all operands have the same layout in memory, without gaps, in which the order of the dimensions differs from that of the shape.
/// Tensors stored by columns have such a layout.
inline bool
are_alike_in_other_order(ArrayRef<Operand> o)
{
  const at::Tensor & t = *o[0].tensor;
  bool alike = engine::are_fusible(o) && !t.is_contiguous() && t.is_non_overlapping_and_dense();
  for (const auto & x : o)
    alike = alike && x.tensor->sizes() == t.sizes() && x.tensor->strides() == t.strides();
  return alike;
}

/// Whether two operands of the same shape store their numbers contiguously and in the same order.
inline bool
are_one_run(ArrayRef<Operand> o)
{
  const at::Tensor &a = *o[0].tensor, &b = *o[1].tensor;
  return (a.is_contiguous() && b.is_contiguous()) || are_alike_in_other_order(o);
}

/// Whether LibTorch's call for f rounds as a loop over the numbers does. It does not for n / t, which LibTorch computes as
/// t.reciprocal() * n.
template <class F>
constexpr bool rounds_as_torch = true;

/// Applies f to each number of the tensors by a loop. For large tensors of float32, and for large tensors stored by columns,
/// LibTorch's call runs instead if it rounds as the loop does: on adjacent numbers the call is as fast as the loop, and its
/// results have the layout of the operands.
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
  if (many && rounds_as_torch<F> &&
      (flat[0].tensor->scalar_type() == kFloat32 || are_alike_in_other_order(flat)))
    composed(&r);
  else
  {
    using Tile = ForwardTile<F, Types<Number>, Types<Numbers...>>;
    evaluate({op, flat, shape, row_formula<Tile>(f), bases, composed, no_gradient}, &r);
  }
  return r;
}

/// op with a plain number as its right operand, or as its left operand if NumberFirst is true. Loops use the number as a double.
/// LibTorch receives a CScalar, whose type takes part in the promotion of dtypes.
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
    {
      // LibTorch's own n / t is t.reciprocal() * n, with two roundings.
      const auto dtype = c10::isIntegralType(x.scalar_type(), /*includeBool=*/true)
                             ? c10::get_default_dtype_as_scalartype()
                             : x.scalar_type();
      return at::full({}, number, TensorOptions(dtype)) / x;
    }
    else if constexpr (NumberFirst)
      return Op()(number, x);
    else
      return Op()(x, number);
  }
};

template <>
inline constexpr bool rounds_as_torch<WithNumber<math::Over, true>> = false;

/// The data that an elementwise operation needs to run over whole rows of two types.
struct RowWise
{
  c10::function_ref<std::shared_ptr<const Gradient>()> rule;
  TensorShapeRef base; ///< the base shape of the result
};

template <class Op>
at::Tensor
Elementwise<Op>::of(const Operand & a, const Operand & b, const RowWise * rows, bool flat)
{
  const Operation op(Op::name, Accepts::any);
  const Operand o[] = {a, b};
  check_operands(op, o, /*mixed_dtypes=*/true);
  check_base_broadcast(op, a, b);
  const TensorShape batch = broadcast_batch(op, o);
  const Size base_dim = Size(std::max(a.base.size(), b.base.size()));
  const auto left = [&] { return align_base(*a.tensor, a.batch_dim, base_dim); };
  const auto right = [&] { return align_base(*b.tensor, b.batch_dim, base_dim); };
  const auto composed = [&](at::Tensor * result)
  {
    const auto dtype = promote(Op::name, *a.tensor, *b.tensor);
    call_translated(
        Op::name, [&] { *result = Op()(left().to(dtype), right().to(dtype)); }, o);
  };
  at::Tensor r;
  const bool flat_is_fast = a.tensor->scalar_type() == kFloat32 ||
                            (a.tensor->sizes() == b.tensor->sizes() && are_one_run(o));
  if (rows && !(flat && flat_is_fast))
  {
    const TensorShapeRef bases[] = {rows->base};
    const RowPair pair{int(utils::numel(rows->base)), a.base.empty(), b.base.empty()};
    const int numbers = int(utils::numel(a.base) + utils::numel(b.base)) + pair.components;
    const RowFormula formula{tile_loop<ElementwiseTile<Op>>(), &pair, numbers};
    evaluate({op, o, batch, formula, bases, composed, rows->rule}, &r);
  }
  else if (flat)
  {
    const at::Tensor x = left(), y = right();
    const Operand numbers[] = {all_batch({&x, a.type, 0, {}}), all_batch({&y, b.type, 0, {}})};
    r = evaluate_flat<Number, Number>(op, Op(), numbers, composed);
  }
  else
    composed(&r);
  return r;
}

/// Applies op to each number of a tensor, with a plain number as the other operand.
template <class Op>
at::Tensor
with_plain_number(Op f, const Operand & a)
{
  const Operation op(Op::name, Accepts::any);
  check_operand(op, a);
  if (a.tensor->scalar_type() == kFloat32)
    f.value = float(f.value); // rounds the number as LibTorch does
  const auto composed = [&](at::Tensor * r)
  {
    call_translated(
        Op::name, [&] { *r = f(*a.tensor); }, a);
  };
  return evaluate_flat<Number>(op, f, all_batch(a), composed);
}

template <class Op>
at::Tensor
Elementwise<Op>::with_number(const Operand & a, const CScalar & n)
{
  return with_plain_number(WithNumber<Op>(n), a);
}

template <class Op>
at::Tensor
Elementwise<Op>::number_with(const CScalar & n, const Operand & a)
{
  return with_plain_number(WithNumber<Op, true>(n), a);
}

/// a op b. Elementwise::of also gets the loop over the rows of the types, if there is such a loop.
template <class Op, class A, class B>
elementwise_t<A, B>
elementwise_by_rows(const A & a, const B & b)
{
  using Result = elementwise_t<A, B>;
  constexpr bool alike = std::is_same_v<A, B>;
  constexpr bool flat = alike || !is_primitive<A> || !is_primitive<B>;
  const auto evaluated = [&](const RowWise * rows)
  {
    return Result(Trusted(),
                  Elementwise<Op>::of(operand(a), operand(b), rows, flat),
                  std::max(a.batch_dim(), b.batch_dim()));
  };
  if constexpr (has_rows<A> && has_rows<B> && !(alike && std::is_same_v<A, Scalar>))
  {
    const RowWise rows{rule_of<Op, A, B>, Result::base_shape};
    return evaluated(&rows);
  }
  else
    return evaluated(nullptr);
}

template <class Op, class T>
T
ElementwiseOn<Op, T>::itself(const T & a, const T & b)
{
  if constexpr (std::is_same_v<Op, Times> && !multiplies_elementwise<T, T>)
    return T(); // never called: for these types * is another product, or does not exist
  else
    return elementwise_by_rows<Op>(a, b);
}

template <class Op, class T>
T
ElementwiseOn<Op, T>::scalar_right(const T & a, const Scalar & b)
{
  return elementwise_by_rows<Op>(a, b);
}

template <class Op, class T>
T
ElementwiseOn<Op, T>::scalar_left(const Scalar & a, const T & b)
{
  return elementwise_by_rows<Op>(a, b);
}
} // namespace neml2::math
