// SPDX-License-Identifier: MIT
#pragma once

#include "bindings/Any.h"
#include "neml2/tensors/Scalar.h"

/// + - * / of the types whose operators run as fused loops; other types inherit the operators of
/// TensorBase.
namespace neml2::python
{
inline bool
is_scalar(const Any & a)
{
  return a.type->cls.is(nb::type<Scalar>());
}

/// Truth values, one per component: a Tensor, since they have neither the operations nor the meaning of a
/// stress. For a Scalar the result is a Scalar, with one truth value per batch entry.
inline nb::object
truth_values(const Any & of, const Tensor & t)
{
  return is_scalar(of) ? nb::cast(Scalar(t)) : nb::cast(t);
}

/// Binds the operators of T with T, a Scalar or a number. The product * of two T is bound
/// elsewhere.
template <class T>
void
bind_arithmetic(nb::class_<T> & cls)
{
  using S = Scalar;
  const auto op = nb::is_operator();
  const auto free = nb::call_guard<nb::gil_scoped_release>();
  const auto a = nb::arg("other").noconvert();
  cls.def(
      "__add__", [](const T & x, const T & y) { return x + y; }, a, op, free);
  cls.def(
      "__sub__", [](const T & x, const T & y) { return x - y; }, a, op, free);
  cls.def(
      "__truediv__", [](const T & x, const T & y) { return x / y; }, a, op, free);
  if constexpr (math::multiplies_elementwise<T, T>)
    cls.def(
        "__mul__", [](const T & x, const T & y) { return x * y; }, a, op, free);
  if constexpr (!std::is_same_v<T, S>)
  {
    cls.def(
        "__mul__", [](const T & x, const S & y) { return x * y; }, a, op, free);
    cls.def(
        "__add__", [](const T & x, const S & y) { return x + y; }, a, op, free);
    cls.def(
        "__sub__", [](const T & x, const S & y) { return x - y; }, a, op, free);
    cls.def(
        "__truediv__", [](const T & x, const S & y) { return x / y; }, a, op, free);
    cls.def(
        "__rmul__", [](const T & x, const S & y) { return y * x; }, a, op, free);
    cls.def(
        "__radd__", [](const T & x, const S & y) { return y + x; }, a, op, free);
    cls.def(
        "__rsub__", [](const T & x, const S & y) { return y - x; }, a, op, free);
    cls.def(
        "__rtruediv__", [](const T & x, const S & y) { return y / x; }, a, op, free);
  }
  auto any = nb::borrow<AnyClass>(cls);
  bind_numbers(any);
}

/// + - * / with numbers, which must be bound again for a class that defines operators itself.
void bind_numbers(AnyClass & cls);
/// The products of rotations and vectors, and those of Tensors by @.
void bind_rotations();
/// Comparisons of Scalars, which give Scalars.
void bind_scalar_comparisons();
/// All operators, for the class that all types derive from.
void bind_operators(AnyClass & cls);
} // namespace neml2::python
