// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/relation.h"

/**
 * Comparison component by component: > < >= <= == != and the functions gt, lt, ge, le, eq, ne; logic is in
 * math/logic.h.
 *
 * (...; base), (...; base) -> (...; base) of dtype bool, for two tensors of one type, a tensor and a Scalar, or a
 * tensor and a number. Shapes broadcast and dtypes mix as for +. If one type is Tensor and the other is not, both are
 * compared as Tensors, and the result is a Tensor. The stored components are compared. A comparison with NaN is false,
 * except !=, which is true. Comparisons have no derivatives. If an operand is a raw at::Tensor, the operator is
 * LibTorch's, on all dimensions.
 *
 * For a single truth value, reduce: (a == b).all().
 */
namespace neml2
{
namespace math
{
/// The result type of comparing an A and a B. If one of them is Tensor, base shapes broadcast.
template <class A, class B>
constexpr auto
comparison_result()
{
  if constexpr (is_tensor<A> && is_tensor<B> && !is_elementwise<A, B> &&
                (std::is_same_v<A, Tensor> || std::is_same_v<B, Tensor>))
    return static_cast<Tensor *>(nullptr);
  else
    return relation_result<A, B>();
}
template <class A, class B>
using comparison_t = std::remove_pointer_t<decltype(comparison_result<A, B>())>;

template <class A, class B>
comparison_t<A, B>
compare(const char * name, Relation r, const A & a, const B & b)
{
  if constexpr (std::is_same_v<comparison_t<A, B>, relation_t<A, B>>)
    return relate(name, r, a, b);
  else
    return Tensor(Trusted(),
                  related(Operation(name, Accepts::any), r, operand(a), operand(b)),
                  std::max(a.batch_dim(), b.batch_dim()));
}
} // namespace math

/// a > b
template <class A, class B, math::if_related<A, B> = 0>
math::comparison_t<A, B>
gt(const A & a, const B & b)
{
  return math::compare("gt", math::Relation::greater, a, b);
}
/// a < b
template <class A, class B, math::if_related<A, B> = 0>
math::comparison_t<A, B>
lt(const A & a, const B & b)
{
  return math::compare("lt", math::Relation::less, a, b);
}
/// a >= b
template <class A, class B, math::if_related<A, B> = 0>
math::comparison_t<A, B>
ge(const A & a, const B & b)
{
  return math::compare("ge", math::Relation::greater_equal, a, b);
}
/// a <= b
template <class A, class B, math::if_related<A, B> = 0>
math::comparison_t<A, B>
le(const A & a, const B & b)
{
  return math::compare("le", math::Relation::less_equal, a, b);
}
/// a == b
template <class A, class B, math::if_related<A, B> = 0>
math::comparison_t<A, B>
eq(const A & a, const B & b)
{
  return math::compare("eq", math::Relation::equal, a, b);
}
/// a != b
template <class A, class B, math::if_related<A, B> = 0>
math::comparison_t<A, B>
ne(const A & a, const B & b)
{
  return math::compare("ne", math::Relation::not_equal, a, b);
}
template <class A, class B, math::if_related<A, B> = 0>
math::comparison_t<A, B>
operator>(const A & a, const B & b)
{
  return math::compare(">", math::Relation::greater, a, b);
}
template <class A, class B, math::if_related<A, B> = 0>
math::comparison_t<A, B>
operator<(const A & a, const B & b)
{
  return math::compare("<", math::Relation::less, a, b);
}
template <class A, class B, math::if_related<A, B> = 0>
math::comparison_t<A, B>
operator>=(const A & a, const B & b)
{
  return math::compare(">=", math::Relation::greater_equal, a, b);
}
template <class A, class B, math::if_related<A, B> = 0>
math::comparison_t<A, B>
operator<=(const A & a, const B & b)
{
  return math::compare("<=", math::Relation::less_equal, a, b);
}
template <class A, class B, math::if_related<A, B> = 0>
math::comparison_t<A, B>
operator==(const A & a, const B & b)
{
  return math::compare("==", math::Relation::equal, a, b);
}
template <class A, class B, math::if_related<A, B> = 0>
math::comparison_t<A, B>
operator!=(const A & a, const B & b)
{
  return math::compare("!=", math::Relation::not_equal, a, b);
}
} // namespace neml2

// ---- The other operators, included so that each operator means the same in every program. ----

#include "neml2/math/logic.h"
#include "neml2/math/operators.h"
