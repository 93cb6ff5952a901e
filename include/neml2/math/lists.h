// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/operators.h"

/**
 * Derivatives with respect to the entries of lists. A list is a tensor whose last batch dimension runs over its entries. The functions
 * below take a function f of two tensors, for example the derivative of a rotated tensor, and evaluate f for each entry of a list, or for
 * each pair of entries of two lists.
 */
namespace neml2
{
namespace math
{
/// @throws NEMLException unless the tensor has a batch dimension for the entries of a list.
template <class T>
void
check_list(const char * where, const T & list)
{
  check_defined(where, list);
  NEML2_CHECK(list.batch_dim() > 0,
              where,
              ": the list ",
              operand(list),
              " has no batch dimension. Expected the last one to count the entries of the list.");
}

/// The last n batch dimensions of r as its first base dimensions.
template <class R>
Tensor
batch_as_base(const char * where, const R & r, Size n)
{
  static_assert(is_tensor<R>, "the function must return a tensor of this library");
  check_defined(where, r);
  NEML2_CHECK(r.batch_dim() >= n,
              where,
              ": the function returned ",
              operand(r),
              ", without the batch dimensions of its arguments.");
  return Tensor(Trusted(), r, r.batch_dim() - n);
}
} // namespace math

/// f(a_k, b) for the entries a_k of a list.
/// (batch, l; base a), (batch; base b) -> (batch; l, base f)
template <class F, class A, class B, core::if_tensor<A> = 0, core::if_tensor<B> = 0>
Tensor
list_derivative_outer_product_a(const F & f, const A & a, const B & b)
{
  constexpr auto where = "list_derivative_outer_product_a";
  math::check_list(where, a);
  return math::batch_as_base(where, f(a, b.batch_unsqueeze(-1)), 1);
}

/// f(a, b_k) for the entries b_k of a list. If a has one base dimension, and the result of f has the base shape
/// (base a, ...): (batch; base a), (batch, l; base b) -> (batch; base a, l, ...). In general, the dimensions at
/// positions 0 and a.base_dim() of the base (l, base f) change places.
template <class F, class A, class B, core::if_tensor<A> = 0, core::if_tensor<B> = 0>
Tensor
list_derivative_outer_product_b(const F & f, const A & a, const B & b)
{
  constexpr auto where = "list_derivative_outer_product_b";
  math::check_list(where, b);
  return math::batch_as_base(where, f(a.batch_unsqueeze(-1), b), 1).base_transpose(0, a.base_dim());
}

/// f(a_k, b_m) for the entries of two lists. If a has one base dimension, and the result of f has the base shape
/// (base a, ...): (batch, l; base a), (batch, m; base b) -> (batch; l, base a, m, ...). In general, the
/// dimensions at positions 1 and a.base_dim() + 1 of the base (l, m, base f) change places.
template <class F, class A, class B, core::if_tensor<A> = 0, core::if_tensor<B> = 0>
Tensor
list_derivative_outer_product_ab(const F & f, const A & a, const B & b)
{
  constexpr auto where = "list_derivative_outer_product_ab";
  math::check_list(where, a);
  math::check_list(where, b);
  return math::batch_as_base(where, f(a.batch_unsqueeze(-1), b.batch_unsqueeze(-2)), 2)
      .base_transpose(1, 1 + a.base_dim());
}
} // namespace neml2
