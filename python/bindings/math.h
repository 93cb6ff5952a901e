// SPDX-License-Identifier: MIT
#pragma once

#include "bindings/operators.h"

/// Helpers for binding the functions of neml2.math.
namespace neml2::python
{
void bind_elementwise(nb::module_ & m);
void bind_dimensions(nb::module_ & m);
void bind_products(nb::module_ & m);

/// A tensor of any type, or a number.
struct Value : Any
{
  std::optional<CScalar> number;
};

/// A Scalar, or a number.
struct Factor : Value
{
};

/// Converts Scalars and numbers to Scalars. Numbers get the dtype and device of the first Scalar. If there is no Scalar, nanobind tries the
/// next overload.
std::vector<Scalar> scalars(std::initializer_list<const Factor *> factors);

/// A list or tuple of tensors of any types.
using Tensors = std::vector<Any>;

/// Throws a TypeError that says that the function does not exist for these types.
[[noreturn]] void
fail_types(const char * name, const Any & a, const Any & b, const char * expected);

/// Throws a TypeError unless both have the same type.
void check_same_type(const char * name, const Any & a, const Any & b);

std::vector<Tensor> values(const Tensors & list);
} // namespace neml2::python

namespace nanobind::detail
{
template <>
struct type_caster<neml2::python::Value>
{
  NB_TYPE_CASTER(neml2::python::Value, const_name("neml2_tensors.tensors.TensorBase | float"))

  bool from_python(handle src, uint8_t flags, cleanup_list * cleanup) noexcept
  {
    return read(src, flags, cleanup, value);
  }
  static handle from_cpp(const neml2::python::Value &, rv_policy, cleanup_list *) = delete;

  static bool
  read(handle src, uint8_t flags, cleanup_list * cleanup, neml2::python::Value & value) noexcept
  {
    if (neml2::python::type_of(src))
      return make_caster<neml2::python::Any>::read(src, value);
    make_caster<neml2::CScalar> number;
    if (!number.from_python(src, flags, cleanup))
      return false;
    value.number = number.value;
    return true;
  }
};

template <>
struct type_caster<neml2::python::Factor>
{
  NB_TYPE_CASTER(neml2::python::Factor, const_name("neml2_tensors.tensors.Scalar | float"))

  bool from_python(handle src, uint8_t flags, cleanup_list * cleanup) noexcept
  {
    return make_caster<neml2::python::Value>::read(src, flags, cleanup, value) &&
           (value.number || neml2::python::is_scalar(value));
  }
  static handle from_cpp(const neml2::python::Factor &, rv_policy, cleanup_list *) = delete;
};

template <>
struct type_caster<neml2::python::Tensors>
{
  NB_TYPE_CASTER(neml2::python::Tensors,
                 const_name("collections.abc.Sequence[neml2_tensors.tensors.TensorBase]"))

  // Only lists and tuples are accepted, because the items of other sequences may be freed before they are read.
  bool from_python(handle src, uint8_t, cleanup_list *) noexcept
  {
    if (!PyList_Check(src.ptr()) && !PyTuple_Check(src.ptr()))
      return false;
    value.clear();
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(src.ptr()); i++)
    {
      neml2::python::Any item;
      if (!make_caster<neml2::python::Any>::read(PySequence_Fast_GET_ITEM(src.ptr(), i), item))
        return false;
      value.push_back(item);
    }
    return true;
  }
  static handle from_cpp(const neml2::python::Tensors &, rv_policy, cleanup_list *) = delete;
};
} // namespace nanobind::detail
