// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/PrimitiveTensor.h"
#include "neml2/engine/limits.h"

#include <algorithm>
#include <cmath>

/// The parts of + - * /: the types for which they are defined, and how they run component by component. Some loops run over rows;
/// a row is one tensor of a batch.
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
using namespace core; // the namespaces of the folders whose headers this folder includes
using namespace engine;
using namespace packs;

template <class T>
constexpr bool false_for = false;

/// The result type of an elementwise operation on an A and a B; void if there is no such operation.
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

/// Whether * multiplies component by component. For two operands of one type, * is mostly another product or does not
/// exist.
template <class A, class B>
constexpr bool multiplies_elementwise = is_elementwise<A, B> &&
                                        (!std::is_same_v<A, B> || std::is_same_v<A, Scalar> ||
                                         std::is_same_v<A, Tensor>);

template <class A, class B, bool Defined>
using if_elementwise = std::enable_if_t<is_tensor<A> && is_tensor<B> && Defined, int>;

/// Checks that the base shapes broadcast, each aligned at its last dimension.
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

/// The dtype to which an operation promotes both operands.
inline Dtype
promote(const char * name, const at::Tensor & a, const at::Tensor & b)
{
  return translate_errors(name,
                          [&] { return c10::promoteTypes(a.scalar_type(), b.scalar_type()); });
}

/// Up to this count of numbers a loop is faster than LibTorch's call, also in float32 and for tensors stored by columns.
constexpr Size few_numbers = 2048;

/// The operand with all its dimensions as batch dimensions.
inline Operand
all_batch(const Operand & o)
{
  return {o.tensor, o.type, o.tensor->dim(), {}};
}

/// Whether the elementwise operators of T run over its rows. The operators of the largest types, and of types that a program defines, run
/// over single numbers or call LibTorch.
template <class T>
constexpr bool
rows_of_its_own()
{
  if constexpr (is_primitive<T>)
    return !std::is_same_v<typename T::template Row<double>,
                           typename T::PrimitiveTensor::template Row<double>>;
  else
    return false;
}
template <class T>
constexpr bool has_rows = rows_of_its_own<T>();

struct RowWise;

/// An elementwise operation on operands whose types are erased.
template <class Op>
struct Elementwise
{
  /// Evaluates by rows, if the types have rows, in two cases: if one operand has one number per row of the other; and, except in float32,
  /// if the operands differ in shape or in the order of their dimensions in memory, or if there are gaps in memory. Otherwise, if `flat` is
  /// true, it aligns the base dimensions and evaluates number by number; if `flat` is false, it calls LibTorch.
  static at::Tensor of(const Operand & a, const Operand & b, const RowWise * rows, bool flat);
  static at::Tensor with_number(const Operand & a, const CScalar & n);
  static at::Tensor number_with(const CScalar & n, const Operand & a);
};

/// An elementwise operation on T and T, or on T and Scalar, with the loops over their rows.
template <class Op, class T>
struct ElementwiseOn
{
  static T itself(const T & a, const T & b);
  static T scalar_right(const T & a, const Scalar & b);
  static T scalar_left(const Scalar & a, const T & b);
};

/// a op b, component by component.
template <class Op, class A, class B>
elementwise_t<A, B>
elementwise(const A & a, const B & b)
{
  using T = elementwise_t<A, B>;
  static_assert(!std::is_same_v<Op, Times> || multiplies_elementwise<A, B>,
                "* of two tensors of this type is not elementwise, or does not exist");
  if constexpr (!has_loops<T>)
    return T(Trusted(),
             Elementwise<Op>::of(operand(a), operand(b), nullptr, /*flat=*/true),
             std::max(a.batch_dim(), b.batch_dim()));
  else if constexpr (std::is_same_v<A, B>)
    return ElementwiseOn<Op, T>::itself(a, b);
  else if constexpr (std::is_same_v<B, Scalar>)
    return ElementwiseOn<Op, T>::scalar_right(a, b);
  else
    return ElementwiseOn<Op, T>::scalar_left(a, b);
}

/// a op n, where n is a plain number.
template <class Op, class A>
A
elementwise_number(const A & a, const CScalar & n)
{
  return A(Trusted(), Elementwise<Op>::with_number(operand(a), n), a.batch_dim());
}
/// n op a, where n is a plain number.
template <class Op, class A>
A
number_elementwise(const CScalar & n, const A & a)
{
  return A(Trusted(), Elementwise<Op>::number_with(n, operand(a)), a.batch_dim());
}

/// Enables an operator for exactly these two types, without conversions, so that LibTorch's operator is chosen for a
/// raw at::Tensor.
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
/// Reports at compile time that an operation in a formula combines a whole batch with a number or tensor of one point.
template <class Row, class Batch>
constexpr bool
no_batch_in_a_formula()
{
  static_assert(false_for<std::pair<Row, Batch>>,
                "a formula gets tensors of one point each, and cannot combine them with a whole "
                "batch, such as one that it captures: pass the batch as an argument of vmap");
  return false;
}
template <class Row>
using if_at_one_point = std::enable_if_t<core::is_of_formula<Row> && !core::is_tensor<Row>, int>;

} // namespace math
} // namespace neml2

#ifndef NEML2_COMPILED // otherwise the compiled library defines these functions
#include "neml2/math/arithmetic-inl.h"
#endif
