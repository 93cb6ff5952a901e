// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/operators.h"

/// Operators that write to their left side, and copy_.
namespace neml2
{
namespace math
{
/// Refuses to store a result in a tensor of a narrower kind of dtype, such as fractions in integers.
inline void
check_storable(const char * where, Dtype result, const at::Tensor & t)
{
  NEML2_CHECK(c10::canCast(result, t.scalar_type()),
              where,
              ": a result of dtype ",
              dtype_name(result),
              " does not fit the left side's dtype ",
              dtype_name(t.scalar_type()),
              ". Convert the left side with .to(dtype), or use the operation that returns.");
}

/// Checks both sides, then returns the right side aligned with the left one. Nothing is written yet.
template <class A, class B>
at::Tensor
in_place_operand(const char * name, const A & a, const B & b, bool copies = false)
{
  const Operation op(name, Accepts::any);
  const std::array<Operand, 2> o{operand(a), operand(b)};
  for (const auto & x : o)
    check_operand(op, x);
  if (a.sizes() == b.sizes() && a.batch_dim() == b.batch_dim() &&
      a.scalar_type() == b.scalar_type() && a.device() == b.device() && a.has_storage() &&
      b.has_storage() && !a.is_alias_of(b))
  { // the right side need not be aligned, converted or copied
    check_writable(name, a);
    return b;
  }
  if (!copies) // a copy may change dtype and device
    check_operands(op, o, /*mixed_dtypes=*/true);
  const TensorShape batch = broadcast_batch(op, o);
  check_base_broadcast(op, a, b);
  NEML2_CHECK(
      TensorShapeRef(batch) == o[0].batch() && b.base_dim() <= a.base_dim() &&
          utils::broadcast_sizes(a.base_sizes(), b.base_sizes()) == a.base_sizes(),
      name,
      ": the right side ",
      o[1],
      " would enlarge the left side ",
      o[0],
      ". An in-place operation keeps the left side's shape: use the operation that returns.");
  check_writable(name, a);
  if (!copies)
    check_storable(name, promote(name, a, b), a);
  const at::Tensor x = align_base(b, b.batch_dim(), a.base_dim());
  // v /= v(0) would otherwise divide by a component that it has already overwritten.
  const bool another_view = a.has_storage() && b.has_storage() && a.is_alias_of(b) &&
                            (a.storage_offset() != b.storage_offset() || a.sizes() != b.sizes() ||
                             a.strides() != b.strides());
  return another_view ? x.clone() : x;
}
} // namespace math

template <class Derived>
template <class B>
Derived &
TensorBase<Derived>::operator+=(const B & b)
{
  return in_place("+=", b, [&](const auto & x) { at::Tensor::add_(x); });
}

template <class Derived>
template <class B>
Derived &
TensorBase<Derived>::operator-=(const B & b)
{
  return in_place("-=", b, [&](const auto & x) { at::Tensor::sub_(x); });
}

template <class Derived>
template <class B>
Derived &
TensorBase<Derived>::operator*=(const B & b)
{
  if constexpr (core::is_tensor<B>)
    static_assert(math::multiplies_elementwise<Derived, B>,
                  "*= is elementwise, and * of these two tensor types is not: write a = a * b");
  return in_place("*=", b, [&](const auto & x) { at::Tensor::mul_(x); });
}

template <class Derived>
template <class B>
Derived &
TensorBase<Derived>::operator/=(const B & b)
{
  return in_place("/=", b, [&](const auto & x) { at::Tensor::div_(x); });
}

template <class Derived>
template <class B, class F>
Derived &
TensorBase<Derived>::in_place(const char * name, const B & b, const F & f)
{
  if constexpr (core::is_number<B>)
  {
    core::check_defined(name, self());
    core::check_writable(name, self());
    core::translate_errors(name, [&] { f(core::number(b)); });
  }
  else if constexpr (core::is_tensor<B>)
  {
    static_assert(
        std::is_same_v<math::elementwise_t<Derived, B>, Derived>,
        "this in-place operation is not defined for these two tensor types: the right side "
        "must be of the left side's type, a Scalar or a number");
    const auto x = math::in_place_operand(name, self(), b);
    core::translate_errors(name, [&] { f(x); });
  }
  else
  {
    static_assert(std::is_convertible_v<const B &, at::Tensor>,
                  "the right side of an in-place operation must be a tensor or a number");
    core::translate_errors(
        name, [&] { f(static_cast<const at::Tensor &>(b)); }); // a raw tensor: torch's rules
  }
  return self();
}

template <class Derived>
template <class B, core::if_tensor<B>>
Derived &
TensorBase<Derived>::copy_(const B & other, bool non_blocking)
{
  const auto x = math::in_place_operand("copy_", self(), other, /*copies=*/true);
  return copy_(x, non_blocking);
}
} // namespace neml2
