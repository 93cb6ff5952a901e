// SPDX-License-Identifier: MIT
#pragma once

#include "bindings/Any.h"
#include "neml2/tensors/Scalar.h"

/// Binds operators. The types whose operators run as fused loops have their own + - * /; other types inherit the operators of TensorBase.
namespace neml2::python
{
inline bool
is_scalar(const Any & a)
{
  return a.type->cls.is(nb::type<Scalar>());
}

/// The result of comparing the tensor `of`, with one truth value per component. It is a Tensor, because truth values have neither the
/// operations nor the meaning of, for example, a stress. If `of` is a Scalar, the result is a Scalar.
inline nb::object
truth_values(const Any & of, const Tensor & t)
{
  return is_scalar(of) ? nb::cast(Scalar(t)) : nb::cast(t);
}

/// Binds the operators + - * / of T with T, a Scalar or a number, except the product of two T, which is bound elsewhere.
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

/// Binds + - * / with numbers. For a class that defines operators of its own, call this again.
void bind_numbers(AnyClass & cls);
/// Binds the products of rotations and vectors, and the operator @ of Tensors.
void bind_rotations();
/// Binds the comparisons of Scalars, whose results are Scalars.
void bind_scalar_comparisons();
/// Binds all operators of TensorBase, from which all types derive.
void bind_operators(AnyClass & cls);
} // namespace neml2::python
