// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/arithmetic.h"

/**
 * Elementwise + - * / of the library's tensors.
 *
 * | operands                          | + -    | *      | /      |
 * | --------------------------------- | ------ | ------ | ------ |
 * | a type and itself                 | yes    | Scalar and Tensor only; for R2, R4, SSR4, Rot and Quaternion, * is another product | yes |
 * | a primitive type and Scalar       | yes    | yes    | yes    |
 * | Tensor and Scalar                 | yes    | yes    | yes    |
 * | any type and a number             | yes    | yes    | yes    |
 *
 * Batch shapes broadcast, and so do base shapes of Tensors; each is aligned at its own last
 * dimension. Mixed dtypes promote as torch::promote_types says, whatever the number of dimensions; /
 * of integers is true division. Any other pair of types is an error at compile time, except where * is a product of the
 * two types, as in R2 * Vec. If an operand is a raw at::Tensor, the operation is LibTorch's, on all dimensions.
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

// These overloads refuse two types that have no such operation. Without them the compiler would choose LibTorch's
// operators, which silently align batch dimensions with base dimensions.

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

// In a formula, these overloads refuse an operation that combines a captured batch with a tensor or number of one point.

template <class Row, class B, math::if_at_one_point<Row> = 0>
auto
operator+(const Row &, const TensorBase<B> &)
{
  return math::no_batch_in_a_formula<Row, B>();
}
template <class A, class Row, math::if_at_one_point<Row> = 0>
auto
operator+(const TensorBase<A> &, const Row &)
{
  return math::no_batch_in_a_formula<Row, A>();
}
template <class Row, class B, math::if_at_one_point<Row> = 0>
auto
operator-(const Row &, const TensorBase<B> &)
{
  return math::no_batch_in_a_formula<Row, B>();
}
template <class A, class Row, math::if_at_one_point<Row> = 0>
auto
operator-(const TensorBase<A> &, const Row &)
{
  return math::no_batch_in_a_formula<Row, A>();
}
template <class Row, class B, math::if_at_one_point<Row> = 0>
auto
operator*(const Row &, const TensorBase<B> &)
{
  return math::no_batch_in_a_formula<Row, B>();
}
template <class A, class Row, math::if_at_one_point<Row> = 0>
auto
operator*(const TensorBase<A> &, const Row &)
{
  return math::no_batch_in_a_formula<Row, A>();
}
template <class Row, class B, math::if_at_one_point<Row> = 0>
auto
operator/(const Row &, const TensorBase<B> &)
{
  return math::no_batch_in_a_formula<Row, B>();
}
template <class A, class Row, math::if_at_one_point<Row> = 0>
auto
operator/(const TensorBase<A> &, const Row &)
{
  return math::no_batch_in_a_formula<Row, A>();
}
} // namespace neml2

// ---- Operators of other kinds, included so that each operator means the same in every program. ----

#include "neml2/math/comparison.h"
#include "neml2/math/einsum.h"
#include "neml2/math/in_place.h"
#include "neml2/math/linspace.h"
