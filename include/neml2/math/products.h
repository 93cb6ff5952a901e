// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/einsum.h"
#include "neml2/math/invariants.h"

/**
 * Products and norms of tensors whose base shape is known at run time only, and of the types that
 * do not define products and norms of their own.
 *
 * Batch shapes broadcast with batch shapes only; the sizes of contracted base dimensions must be equal. Components
 * are the stored ones: norm(T) is the norm of the numbers. Each function consists of LibTorch's operations, and has
 * their derivatives. Functions that return a Scalar need tensors/Scalar.h. Functions of Vec, R2, SR2 and others are in
 * the headers of the types; solve and similar functions are in linalg.h.
 *
 * All throw NEMLException for an undefined tensor, for a dtype for which they are not defined, for two
 * arguments of different dtypes or devices, and for shapes that do not fit.
 */
namespace neml2
{
namespace math
{
/// Whether an A and a B may have the same base shape: their types have the same base shape, or one of their base shapes
/// is known at run time only.
template <class A, class B>
constexpr bool
may_be_alike()
{
  if constexpr (is_primitive<A> && is_primitive<B>)
    return std::is_same_v<typename A::base_sizes_sequence, typename B::base_sizes_sequence>;
  else
    return true;
}

/// Whether T has three components: Vec, or a type that converts to Vec.
template <class T>
constexpr bool
is_like_a_vector()
{
  if constexpr (is_primitive<T>)
    return std::is_same_v<typename T::base_sizes_sequence, std::integer_sequence<Size, 3>>;
  else
    return false;
}

/// Checks a product of operands with n and m base dimensions, which contracts the last of a with the
/// first of b. Returns the batch dimension of the result.
inline Size
check_product(const Operation & op, const Operand & a, const Operand & b, Size n, Size m)
{
  const Operand o[] = {a, b};
  check_operands(op, o);
  check_base_dim(op, a, n);
  check_base_dim(op, b, m);
  NEML2_CHECK(
      a.base.back() == b.base.front(),
      op.name,
      ": the contracted base dimensions have the sizes ",
      a.base.back(),
      " and ",
      b.base.front(),
      ". Expected equal ones: the last of the first operand and the first of the second. The "
      "operands are ",
      OperandsText{o},
      ".");
  return Size(broadcast_batch(op, o).size());
}

/// A_ik B_kj
inline Tensor
matrix_matrix(const char * name, const Operand & a, const Operand & b)
{
  const Operation op(name, Accepts::numbers);
  const Size n = check_product(op, a, b, 2, 2);
  return batch_of<Tensor>(op, n, [&] { return composed::matrix_product(*a.tensor, *b.tensor); });
}

/// A_ik v_k
inline Tensor
matrix_vector(const char * name, const Operand & a, const Operand & v)
{
  const Operation op(name, Accepts::numbers);
  const Size n = check_product(op, a, v, 2, 1);
  return batch_of<Tensor>(
      op,
      n,
      [&] { return composed::matrix_product(*a.tensor, v.tensor->unsqueeze(-1)).squeeze(-1); });
}

/// a_i b_i
template <class Result>
Result
vector_vector(const char * name, const Operand & a, const Operand & b)
{
  const Operation op(name, Accepts::numbers);
  const Size n = check_product(op, a, b, 1, 1);
  return batch_of<Result>(op, n, [&] { return composed::contracted(*a.tensor, *b.tensor, 1); });
}

/// The outer product a_i b_j: its base shape is that of a, then that of b.
inline Tensor
outer_product(const Operand & a, const Operand & b)
{
  const Operation op("outer", Accepts::numbers);
  const Operand o[] = {a, b};
  check_operands(op, o);
  const Size n = Size(broadcast_batch(op, o).size());
  return batch_of<Tensor>(
      op,
      n,
      [&]
      {
        const at::Tensor x = composed::append_dims(*a.tensor, Size(b.base.size()));
        return x * align_base(*b.tensor, b.batch_dim, Size(a.base.size() + b.base.size()));
      });
}
} // namespace math

// ---- Products of matrices and vectors -----------------------------------------------------------

/// A_ik B_kj. (...; m, k), (...; k, n) -> (...; m, n), unit of A × unit of B. Also for integers.
template <class A, class B, math::if_tensors<A, B> = 0>
Tensor
bmm(const A & a, const B & b)
{
  return math::matrix_matrix("bmm", core::operand(a), core::operand(b));
}
/// A_ik B_kj, as bmm(a, b); LibTorch's mm would use batch dimensions as base dimensions. (...; m, k), (...; k, n) ->
/// (...; m, n)
template <class A, class B, math::if_tensors<A, B> = 0>
Tensor
mm(const A & a, const B & b)
{
  return math::matrix_matrix("mm", core::operand(a), core::operand(b));
}

/// A_ik v_k. (...; m, k), (...; k) -> (...; m), unit of A × unit of v. Also for integers.
template <class A, class B, math::if_tensors<A, B> = 0>
Tensor
bmv(const A & a, const B & v)
{
  return math::matrix_vector("bmv", core::operand(a), core::operand(v));
}
/// A_ik v_k, as bmv(a, v); LibTorch's mv would use batch dimensions as base dimensions. (...; m, k), (...; k) ->
/// (...; m)
template <class A, class B, math::if_tensors<A, B> = 0>
Tensor
mv(const A & a, const B & v)
{
  return math::matrix_vector("mv", core::operand(a), core::operand(v));
}

/// a_k b_k. (...; k), (...; k) -> (...; ), unit of a × unit of b. Also for integers.
template <class A, class B, math::if_tensors<A, B> = 0>
core::dependent_scalar_t<A>
bvv(const A & a, const B & b)
{
  return math::vector_vector<core::dependent_scalar_t<A>>(
      "bvv", core::operand(a), core::operand(b));
}
/// a_k b_k, as bvv(a, b); LibTorch's vdot would use batch dimensions as base dimensions. (...; k), (...; k) -> (...; )
template <class A, class B, math::if_tensors<A, B> = 0>
core::dependent_scalar_t<A>
vdot(const A & a, const B & b)
{
  return math::vector_vector<core::dependent_scalar_t<A>>(
      "vdot", core::operand(a), core::operand(b));
}

// ---- Products of all components -----------------------------------------------------------------

/// Σ a_i b_i over all components, for tensors of one base shape, in the unit of a times the unit of b.
/// (...; base), (...; base) -> (...; ). Also for integers.
template <class A, class B, math::if_tensors<A, B> = 0>
core::dependent_scalar_t<A>
inner(const A & a, const B & b)
{
  if constexpr (!math::may_be_alike<A, B>())
    math::no_such_operation<A, B>();
  const core::Operation op("inner", core::Accepts::numbers);
  const core::Operand o[] = {core::operand(a), core::operand(b)};
  core::check_operands(op, o);
  NEML2_CHECK(o[0].base == o[1].base,
              op.name,
              ": base shapes ",
              o[0].base,
              " and ",
              o[1].base,
              " differ. Expected equal shapes, because components are multiplied one by one. The "
              "operands are ",
              core::OperandsText{o},
              ".");
  const Size n = Size(core::broadcast_batch(op, o).size());
  return math::batch_of<core::dependent_scalar_t<A>>(
      op, n, [&] { return composed::contracted(a, b, a.base_dim()); });
}

/// Σ a_i a_i over all components. (...; base) -> (...; ), in the square of the unit of a. Also
/// for integers.
template <class A, core::if_tensor<A> = 0>
core::dependent_scalar_t<A>
norm_sq(const A & a)
{
  const core::Operation op("norm_sq", core::Accepts::numbers);
  core::check_operand(op, core::operand(a));
  return math::batch_of<core::dependent_scalar_t<A>>(
      op, a.batch_dim(), [&] { return composed::contracted(a, a, a.base_dim()); });
}

/// √(Σ a_i a_i + epsilon) over all components, where epsilon has the square of the unit of a. (...; base) -> (...; ),
/// in the unit of a. Its gradient at a = 0 is 0 (for epsilon = 0, one choice among the subgradients).
template <class A, core::if_tensor<A> = 0>
core::dependent_scalar_t<A>
norm(const A & a, Real epsilon = 0)
{
  const core::Operation op("norm");
  core::check_operand(op, core::operand(a));
  return math::batch_of<core::dependent_scalar_t<A>>(
      op, a.batch_dim(), [&] { return composed::frobenius(a, a.base_dim(), epsilon); });
}

/// a / √(Σ a_i a_i + epsilon), without unit. (...; base) -> (...; base). NaN where the quotient is 0 / 0.
template <class A, core::if_tensor<A> = 0>
A
unit(const A & a, Real epsilon = 0)
{
  const core::Operation op("unit");
  core::check_operand(op, core::operand(a));
  return math::batch_of<A>(
      op, a.batch_dim(), [&] { return composed::over_frobenius(a, a.base_dim(), epsilon); });
}

/// a_i b_j: (...; base a), (...; base b) -> (...; base a, base b), unit of a × unit of b. Also
/// for integers. Vec, R2 and SR2 have an outer that returns the type of the product.
template <class A,
          class B,
          math::if_tensors<A, B> = 0,
          std::enable_if_t<!math::is_like_a_vector<A>() || !math::is_like_a_vector<B>(), int> = 0>
Tensor
outer(const A & a, const B & b)
{
  return math::outer_product(core::operand(a), core::operand(b));
}
/// a_i a_j. (...; base) -> (...; base, base), in the square of the unit of a. Also for integers.
template <class A, core::if_tensor<A> = 0, std::enable_if_t<!math::is_like_a_vector<A>(), int> = 0>
Tensor
outer(const A & a)
{
  return math::outer_product(core::operand(a), core::operand(a));
}

/// Sum of products in Einstein's notation: einsum("...ik,...kj->...ij", {A, B}) is A_ik B_kj. For integers, too.
/// Letters stand for base dimensions, and `...` for the batch dimensions, which broadcast. Without -> the
/// result has the letters that occur once, in alphabetical order.
/// @throws NEMLException also for an equation that does not fit the operands, or that lacks `...`
/// although the operands have batch dimensions.
inline Tensor
einsum(const std::string & equation, TensorList operands)
{
  const at::Tensor sum = math::einsum(equation, operands);
  Size n = 0;
  for (const auto & t : operands)
    n = std::max(n, t.batch_dim());
  return {core::Trusted(), sum, n};
}
} // namespace neml2
