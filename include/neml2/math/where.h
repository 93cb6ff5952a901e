// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/fill.h"
#include "neml2/math/componentwise.h"

/// The choice between two tensors by a condition. extremum.h has clamp, which applies bounds.
namespace neml2
{
namespace math
{
/// Enables an overload for types that may be a condition.
template <class C>
using if_condition = std::enable_if_t<std::is_convertible_v<const C &, const at::Tensor &>, int>;

/// Enables an overload for a plain truth value beside a tensor and another tensor or a number.
template <class C, class A, class B>
using if_plain_condition =
    std::enable_if_t<std::is_same_v<C, bool> &&
                         (is_tensor<A> || is_tensor<B>)&&(is_tensor<A> || is_number<A>)&&(
                             is_tensor<B> || is_number<B>),
                     int>;

/// The number of batch dimensions of a raw condition: all its dimensions, or all except the base dimensions of
/// the tensors it chooses from. The number of its dimensions alone decides, so that no batch size changes the answer.
inline Size
condition_batch_dim(const at::Tensor & c, const Together & r)
{
  const Size n = c.dim();
  if (r.base_dim() == 0 || n <= r.batch_dim)
    return n;
  NEML2_CHECK(
      r.batch_dim > 0 && n == r.batch_dim + r.base_dim(),
      "where: the condition is a raw tensor of shape ",
      c.sizes(),
      ", to choose from tensors of ",
      r.batch_dim,
      " batch dimensions and the base shape ",
      r.base,
      ": it does not say which of its dimensions are batch dimensions. Pass Scalar(condition) "
      "for one truth value per batch entry, or Tensor(condition, batch_dim).");
  return r.batch_dim;
}

/// The condition as an operand.
template <class C>
Operand
condition_operand(const C & condition, const Together & r)
{
  if constexpr (is_tensor<C>)
    return operand(condition);
  else
  {
    const at::Tensor & c = condition;
    const Size n = c.defined() ? condition_batch_dim(c, r) : 0;
    return {&c, "condition", n, c.defined() ? c.sizes().slice(size_t(n)) : TensorShapeRef()};
  }
}

/// Checks the condition with the tensors to choose from. Returns the batch dimension of the result.
inline Size
check_condition(const Operation & op,
                const Operand & condition,
                ArrayRef<Operand> choices,
                const Together & r)
{
  SmallVector<Operand, 3> o{condition};
  o.append(choices.begin(), choices.end());
  check_operands(op, o, /*mixed_dtypes=*/true);
  const Dtype dtype = condition.tensor->scalar_type();
  NEML2_CHECK(dtype == c10::kBool,
              op.name,
              ": the condition is ",
              dtype_name(dtype),
              ", expected bool: compare it with something.");
  TensorShape base = r.base;
  NEML2_CHECK(broadcast_into(base, condition.base) == 0 && base == r.base,
              op.name,
              ": the base shape ",
              condition.base,
              " of the condition does not broadcast to the base shape ",
              r.base,
              " of the tensors it chooses from. Expected one truth value per batch entry (a "
              "Scalar), or one per component. The operands are ",
              OperandsText{o},
              ".");
  return Size(broadcast_batch(op, o).size());
}

/// `where` for one or two tensors of type A.
template <class A, class C, class X, class Y>
A
choose(const C & condition, const X & a, const Y & b)
{
  const Operation op("where", Accepts::any);
  const auto choices = tensors_among(a, b);
  const Together r = check_together(op, choices);
  const Operand c = condition_operand(condition, r);
  const Size n = check_condition(op, c, choices, r), base_dim = r.base_dim();
  return A(Trusted(),
           translate_errors(op.name,
                            [&]
                            {
                              return select(align_base(condition, c.batch_dim, base_dim),
                                            aligned(a, base_dim),
                                            aligned(b, base_dim));
                            }),
           n);
}
} // namespace math

/**
 * a where the condition holds, otherwise b: two tensors of one type, or a tensor and a number. (...; c)
 * bool, (...; base), (...; base) -> (...; base), in the common unit of a and b; any dtype.
 *
 * The condition is a Scalar, one truth value per batch entry, or a tensor of any type whose base shape c broadcasts to
 * the base shape of a and b: one truth value per component. The number of dimensions of a raw tensor decides how
 * it is read. It is one truth value per batch entry if a and b have no base dimensions, or if it has no more
 * dimensions than a and b have batch dimensions. If a and b have batch dimensions, and the condition has as many
 * dimensions as their batch and base dimensions together, it is one truth value per component, as for torch::where
 * (sizes 1 broadcast). Any other number of dimensions throws: give the batch dimensions by Scalar(condition) or
 * Tensor(condition, batch_dim).
 *
 * Both a and b are evaluated. In a formula this does no harm. If you differentiate on whole batches, make sure that the side that is not
 * taken does not divide by zero.
 * @throws NEMLException also if the condition is not bool, and if a raw condition has none of these numbers of dimensions.
 */
template <class C, class A, math::if_condition<C> = 0, core::if_tensor<A> = 0>
A
where(const C & condition, const A & a, const A & b)
{
  return math::choose<A>(condition, a, b);
}
template <class C,
          class A,
          class N,
          math::if_condition<C> = 0,
          core::if_tensor<A> = 0,
          core::if_number<N> = 0>
A
where(const C & condition, const A & a, const N & b)
{
  return math::choose<A>(condition, a, b);
}
template <class C,
          class N,
          class B,
          math::if_condition<C> = 0,
          core::if_number<N> = 0,
          core::if_tensor<B> = 0>
B
where(const C & condition, const N & a, const B & b)
{
  return math::choose<B>(condition, a, b);
}

/// `where` with one plain truth value as the condition, which holds for all entries.
template <class C, class A, class B, math::if_plain_condition<C, A, B> = 0>
auto
where(const C & condition, const A & a, const B & b)
{
  const auto & tensor = core::first_of_formula(a, b);
  core::check_defined("where", tensor);
  return where(at::full({}, condition, tensor.options().dtype(c10::kBool)), a, b);
}

/// Not defined for two types that have no common type.
template <class C, class A, class B, math::if_condition<C> = 0>
auto
where(const C &, const TensorBase<A> &, const TensorBase<B> &)
{
  return math::no_such_operation<A, B>();
}
} // namespace neml2
