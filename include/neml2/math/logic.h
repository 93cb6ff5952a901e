// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/relation.h"

/**
 * Logic component by component: && || ! and the functions logical_and, logical_or, logical_xor and logical_not. & | ^ ~
 * do the same for truth values, and work bit by bit for integers.
 *
 * Operands and shapes are as in math/comparison.h, except that a Tensor combines only with a Tensor, a Scalar or a number. Any number
 * except 0 is true, also NaN. The result of && || ! is bool; the result of & | ^ ~ has the common dtype. Both sides are evaluated. In
 * formulas of vmap, conditions have && || ! & | ~ and the functions any() and all().
 */
namespace neml2
{
/// Whether both are true.
template <class A, class B, math::if_related<A, B> = 0>
math::relation_t<A, B>
logical_and(const A & a, const B & b)
{
  return math::relate("logical_and", math::Relation::logical_and, a, b);
}
/// Whether at least one is true.
template <class A, class B, math::if_related<A, B> = 0>
math::relation_t<A, B>
logical_or(const A & a, const B & b)
{
  return math::relate("logical_or", math::Relation::logical_or, a, b);
}
/// Whether exactly one is true.
template <class A, class B, math::if_related<A, B> = 0>
math::relation_t<A, B>
logical_xor(const A & a, const B & b)
{
  return math::relate("logical_xor", math::Relation::logical_xor, a, b);
}
/// Whether a is 0. (...; base) -> (...; base)
template <class A, core::if_tensor<A> = 0>
A
logical_not(const A & a)
{
  return math::relate("logical_not", math::Relation::equal, a, 0);
}

template <class A, class B, math::if_related<A, B> = 0>
math::relation_t<A, B>
operator&&(const A & a, const B & b)
{
  return math::relate("&&", math::Relation::logical_and, a, b);
}
template <class A, class B, math::if_related<A, B> = 0>
math::relation_t<A, B>
operator||(const A & a, const B & b)
{
  return math::relate("||", math::Relation::logical_or, a, b);
}
template <class A, core::if_tensor<A> = 0>
A
operator!(const A & a)
{
  return math::relate("!", math::Relation::equal, a, 0);
}

/// Bitwise and, or, xor of two tensors, for bool and integer dtypes.
template <class A, class B, math::if_related<A, B> = 0>
math::relation_t<A, B>
operator&(const A & a, const B & b)
{
  return math::relate("&", math::Relation::bitwise_and, a, b);
}
template <class A, class B, math::if_related<A, B> = 0>
math::relation_t<A, B>
operator|(const A & a, const B & b)
{
  return math::relate("|", math::Relation::bitwise_or, a, b);
}
template <class A, class B, math::if_related<A, B> = 0>
math::relation_t<A, B>
operator^(const A & a, const B & b)
{
  return math::relate("^", math::Relation::bitwise_xor, a, b);
}
template <class A, core::if_tensor<A> = 0>
A
operator~(const A & a)
{
  core::check_defined("~", a);
  return A(
      core::Trusted(), core::translate_errors("~", [&] { return a.bitwise_not(); }), a.batch_dim());
}

namespace math
{
/// Refuses a tensor that is not a condition.
inline void
check_condition(const char * name, const Operand & condition)
{
  check_operand(Operation(name, Accepts::any), condition);
  NEML2_CHECK(condition.tensor->scalar_type() == c10::kBool,
              name,
              ": expected a condition, of dtype bool, not ",
              condition,
              " of dtype ",
              dtype_name(condition.tensor->scalar_type()),
              ". Compare it with something.");
}
} // namespace math

/// Whether the condition holds in any entry: one truth value, for example to end a loop; false for a tensor without
/// entries. (...; base) -> bool. Synchronises with a GPU. In a formula of vmap, any() looks only at the points of one
/// pack, which are computed together, so the results of the formula must not depend on the value of any().
/// @throws NEMLException unless the condition is bool.
template <class A, core::if_tensor<A> = 0>
bool
any(const A & condition)
{
  math::check_condition("any", core::operand(condition));
  const at::Tensor & c = condition;
  return core::translate_errors("any", [&] { return c.any().item<bool>(); });
}
/// Whether the condition holds in all entries; true for a tensor without entries. See
/// any(condition).
/// @throws NEMLException unless the condition is bool.
template <class A, core::if_tensor<A> = 0>
bool
all(const A & condition)
{
  math::check_condition("all", core::operand(condition));
  const at::Tensor & c = condition;
  return core::translate_errors("all", [&] { return c.all().item<bool>(); });
}
} // namespace neml2

// ---- The other operators, included so that each operator means the same in every program. ----

#include "neml2/math/operators.h"
