// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/arithmetic.h"

/**
 * Elementwise + - * / of the library's tensors.
 *
 * | operands                          | + -    | *      | /      |
 * | --------------------------------- | ------ | ------ | ------ |
 * | a type and itself                 | yes    | Scalar and Tensor only; R2, SSR4 and Rot have products of their own | yes |
 * | a primitive type and Scalar       | yes    | yes    | yes    |
 * | Tensor and Scalar                 | yes    | yes    | yes    |
 * | any type and a number             | yes    | yes    | yes    |
 *
 * Batch shapes broadcast; so do, for Tensor, base shapes, each aligned at its own last dimension.
 * Mixed dtypes promote as torch::promote_types says, whatever the ranks; / of integers is true
 * division. Any other pair of types is an error at compile time. An operand that is a raw at::Tensor
 * makes it LibTorch's operation, on all dimensions.
 */
namespace neml2
{
template <class A, class B, math::if_elementwise<A, B, math::is_elementwise<A, B>> = 0>
math::elementwise_t<A, B>
operator+(const A & a, const B & b)
{
  return math::elementwise<math::Plus>(a, b);
}
template <class A, class N, core::if_tensor<A> = 0, core::if_number<N> = 0>
A
operator+(const A & a, const N & n)
{
  return math::elementwise_number<math::Plus>(a, core::number(n));
}
template <class A, class N, core::if_tensor<A> = 0, core::if_number<N> = 0>
A
operator+(const N & n, const A & a)
{
  return a + n;
}

template <class A, class B, math::if_elementwise<A, B, math::is_elementwise<A, B>> = 0>
math::elementwise_t<A, B>
operator-(const A & a, const B & b)
{
  return math::elementwise<math::Minus>(a, b);
}
template <class A, class N, core::if_tensor<A> = 0, core::if_number<N> = 0>
A
operator-(const A & a, const N & n)
{
  return math::elementwise_number<math::Minus>(a, core::number(n));
}
template <class A, class N, core::if_tensor<A> = 0, core::if_number<N> = 0>
A
operator-(const N & n, const A & a)
{
  return math::number_elementwise<math::Minus>(core::number(n), a);
}

template <class A, class B, math::if_elementwise<A, B, math::multiplies_elementwise<A, B>> = 0>
math::elementwise_t<A, B>
operator*(const A & a, const B & b)
{
  return math::elementwise<math::Times>(a, b);
}
template <class A, class N, core::if_tensor<A> = 0, core::if_number<N> = 0>
A
operator*(const A & a, const N & n)
{
  return math::elementwise_number<math::Times>(a, core::number(n));
}
template <class A, class N, core::if_tensor<A> = 0, core::if_number<N> = 0>
A
operator*(const N & n, const A & a)
{
  return a * n;
}

template <class A, class B, math::if_elementwise<A, B, math::is_elementwise<A, B>> = 0>
math::elementwise_t<A, B>
operator/(const A & a, const B & b)
{
  return math::elementwise<math::Over>(a, b);
}
template <class A, class N, core::if_tensor<A> = 0, core::if_number<N> = 0>
A
operator/(const A & a, const N & n)
{
  return math::elementwise_number<math::Over>(a, core::number(n));
}
template <class A, class N, core::if_tensor<A> = 0, core::if_number<N> = 0>
A
operator/(const N & n, const A & a)
{
  return math::number_elementwise<math::Over>(core::number(n), a);
}

// The remaining case: two of our types without such an operation. LibTorch's operators would be a worse
// match, and silently align batch with base dimensions.

template <class A, class B>
auto
operator+(const TensorBase<A> &, const TensorBase<B> &)
{
  return math::no_such_operation<A, B>();
}
template <class A, class B>
auto
operator-(const TensorBase<A> &, const TensorBase<B> &)
{
  return math::no_such_operation<A, B>();
}
template <class A, class B>
auto
operator*(const TensorBase<A> &, const TensorBase<B> &)
{
  return math::no_such_operation<A, B>();
}
template <class A, class B>
auto
operator/(const TensorBase<A> &, const TensorBase<B> &)
{
  return math::no_such_operation<A, B>();
}
} // namespace neml2

// ---- Operators of other kinds, which must mean the same in every program. ----

#include "neml2/math/comparison.h"
#include "neml2/math/einsum.h"
#include "neml2/math/in_place.h"
#include "neml2/math/linspace.h"
