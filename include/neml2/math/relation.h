// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/arithmetic.h"

/// The common part of comparison (comparison.h) and logic (logic.h): twelve relations of two tensors, or of
/// a tensor and a number, component by component.
namespace neml2
{
namespace math
{
enum class Relation
{
  greater,
  less,
  greater_equal,
  less_equal,
  equal,
  not_equal,
  logical_and,
  logical_or,
  logical_xor,
  bitwise_and,
  bitwise_or,
  bitwise_xor
};

/// The relation with its sides exchanged.
constexpr Relation
mirrored(Relation r)
{
  switch (r)
  {
  case Relation::greater:
    return Relation::less;
  case Relation::less:
    return Relation::greater;
  case Relation::greater_equal:
    return Relation::less_equal;
  case Relation::less_equal:
    return Relation::greater_equal;
  default:
    return r;
  }
}

/// Truth values of numbers of any dtype.
inline at::Tensor
truth(const at::Tensor & a)
{
  return a.scalar_type() == c10::kBool ? a : a.ne(0);
}
inline CScalar
truth(const CScalar & n)
{
  return !n.equal(0);
}

/// An operand of a bitwise operation. A number becomes a tensor, and a bool first becomes 0 or 1, because torch.jit.trace
/// cannot record bools.
inline const at::Tensor &
bits(const at::Tensor & b, const at::Tensor &)
{
  return b;
}
inline at::Tensor
bits(const CScalar & n, const at::Tensor & a)
{
  const CScalar value = n.isBoolean() ? CScalar(int64_t(n.to<bool>())) : n;
  return at::full({}, value, a.options().dtype(n.type()).requires_grad(false));
}

/// The relation of two tensors, or of a tensor and a number. Bitwise operations of truth values have a meta kernel in
/// every LibTorch; logical operations do not.
template <class B>
at::Tensor
related(Relation r, const at::Tensor & a, const B & b)
{
  switch (r)
  {
  case Relation::greater:
    return a.gt(b);
  case Relation::less:
    return a.lt(b);
  case Relation::greater_equal:
    return a.ge(b);
  case Relation::less_equal:
    return a.le(b);
  case Relation::equal:
    return a.eq(b);
  case Relation::not_equal:
    return a.ne(b);
  case Relation::logical_and:
    return truth(a).bitwise_and(bits(truth(b), a));
  case Relation::logical_or:
    return truth(a).bitwise_or(bits(truth(b), a));
  case Relation::logical_xor:
    return truth(a).bitwise_xor(bits(truth(b), a));
  case Relation::bitwise_and:
    return a.bitwise_and(bits(b, a));
  case Relation::bitwise_or:
    return a.bitwise_or(bits(b, a));
  default:
    return a.bitwise_xor(bits(b, a));
  }
}

/// The relation of two operands. Batch dimensions and base dimensions are each aligned at their last one.
inline at::Tensor
related(const Operation & op, Relation r, const Operand & a, const Operand & b)
{
  const Operand o[] = {a, b};
  check_operands(op, o, /*mixed_dtypes=*/true);
  check_base_broadcast(op, a, b);
  broadcast_batch(op, o);
  const Size base_dim = Size(std::max(a.base.size(), b.base.size()));
  const Dtype dtype = promote(op.name, *a.tensor, *b.tensor);
  return translate_errors(op.name,
                          [&]
                          {
                            return related(r,
                                           align_base(*a.tensor, a.batch_dim, base_dim).to(dtype),
                                           align_base(*b.tensor, b.batch_dim, base_dim).to(dtype));
                          });
}
inline at::Tensor
related(const Operation & op, Relation r, const Operand & a, const CScalar & b)
{
  check_operand(op, a);
  return translate_errors(
      op.name, [&] { return related(r, *a.tensor, b); }, a);
}

/// The result type of a relation of an A and a B; at least one of them is a tensor. It is bool if there is no such
/// relation.
template <class A, class B>
constexpr auto
relation_result()
{
  if constexpr (!is_tensor<A>)
    return static_cast<B *>(nullptr);
  else if constexpr (!is_tensor<B>)
    return static_cast<A *>(nullptr);
  else if constexpr (is_elementwise<A, B>)
    return elementwise_result<A, B>();
  else
    return static_cast<bool *>(nullptr);
}
template <class A, class B>
using relation_t = std::remove_pointer_t<decltype(relation_result<A, B>())>;

/// Whether A and B are two tensors of this library, or a tensor and a number. Types that only convert to these are
/// excluded, so that LibTorch's operator is chosen for a raw at::Tensor.
template <class A, class B>
constexpr bool
are_related()
{
  if constexpr (is_tensor<A>)
    return is_tensor<B> || is_number<B>;
  else if constexpr (is_tensor<B>)
    return is_number<A>;
  else
    return false;
}
template <class A, class B>
using if_related = std::enable_if_t<are_related<A, B>(), int>;

template <class A, class B>
relation_t<A, B>
relate(const char * name, Relation r, const A & a, const B & b)
{
  const Operation op(name, Accepts::any);
  if constexpr (!is_tensor<A>)
    return B(Trusted(), related(op, mirrored(r), operand(b), number(a)), b.batch_dim());
  else if constexpr (!is_tensor<B>)
    return A(Trusted(), related(op, r, operand(a), number(b)), a.batch_dim());
  else if constexpr (is_elementwise<A, B>)
    return relation_t<A, B>(
        Trusted(), related(op, r, operand(a), operand(b)), std::max(a.batch_dim(), b.batch_dim()));
  else
    return no_such_operation<A, B>();
}
} // namespace math
} // namespace neml2
