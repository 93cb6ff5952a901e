// SPDX-License-Identifier: MIT
#pragma once

#include "bindings/torch.h"
#include "neml2/core/Tensor.h"

/// Tensors of any type, as arguments and results of functions for all tensor types, and their conversion from and to Python.
namespace neml2::python
{
/// A tensor type, which is a class in Python.
struct TypeInfo
{
  const char * name;
  int32_t name_in_messages; ///< the index of the type's name in core::names_in_messages()
  const at::Tensor & (*tensor)(const void *);
  Size (*batch_dim)(const void *);
  /// Makes an object of this type; throws NEMLException unless the base shape fits.
  nb::object (*make)(const Tensor &);
  /// Constructs the same object in the memory of an uninitialized Python object.
  void (*construct)(void *, const Tensor &);
  /// The base shape, if the type fixes one, and whether it does.
  TensorShapeRef base;
  bool fixed_base;
  nb::handle cls;
};

/// The type of an object; null if the object is not a tensor of this library.
const TypeInfo * type_of(nb::handle object);
const TypeInfo * type_of_class(const PyTypeObject * cls);
/// The type of a class that was registered.
const TypeInfo & info(nb::handle cls);
/// Whether tensors of this type usually consist of integers, like MillerIndex.
bool holds_integers(const TypeInfo & type);
void register_type(nb::handle cls, const TypeInfo & type);

/// A tensor of any type of the library, as an argument.
struct Any
{
  const TypeInfo * type = nullptr;
  const at::Tensor * tensor = nullptr;
  Size batch_dim = 0;
  nb::handle object;

  Tensor value() const { return {core::Trusted(), *tensor, batch_dim, type->name_in_messages}; }
  operator Tensor() const { return value(); }
  /// A result of the same type. An object of a class that a user derives is made without calling the __init__ of that class, as in torch
  /// for classes derived from torch.Tensor.
  struct Same like(const Tensor & t) const;

private:
  nb::object like_derived(const Tensor & t) const;
};

/// A result that has the type of an argument. For type checkers its type is Self.
struct Same
{
  nb::object object;
};

inline Same
Any::like(const Tensor & t) const
{
  return {object.type().is(type->cls) ? type->make(t) : like_derived(t)};
}

/// The other operand of an operator. For type checkers its type is Self or Scalar.
struct Other : Any
{
};

/// Calls f without the GIL, so that other threads of Python may run meanwhile. f must not use Python objects.
template <class F>
auto
without_gil(const F & f)
{
  const nb::gil_scoped_release release;
  return f();
}

/// Stands for the Python class TensorBase, from which all tensor types derive. Its methods take Any.
struct AnyTensor
{
};
using AnyClass = nb::class_<AnyTensor>;

/// Registers a tensor type with nanobind.
template <class T>
nb::class_<T>
declare(nb::module_ & m, const char * doc)
{
  // TensorBase itself does not allow weak references: otherwise Python would allow assignments to __class__.
  nb::class_<T> cls(m, T::type_name, nb::type<AnyTensor>(), nb::is_weak_referenceable(), doc);
  auto & names = core::names_in_messages();
  if (!std::is_same_v<T, Tensor>)
    names.push_back(T::type_name);
  TypeInfo type{T::type_name,
                std::is_same_v<T, Tensor> ? 0 : int32_t(names.size()) - 1,
                [](const void * p) -> const at::Tensor & { return *static_cast<const T *>(p); },
                [](const void * p) { return static_cast<const T *>(p)->batch_dim(); },
                [](const Tensor & t) { return nb::cast(T(t)); },
                [](void * p, const Tensor & t) { new (p) T(t); },
                {},
                !std::is_same_v<T, Tensor>,
                cls};
  if constexpr (!std::is_same_v<T, Tensor>)
    type.base = TensorShapeRef(T::base_shape.data(), T::base_shape.size());
  register_type(cls, type);
  return cls;
}

/// The docstring of a function in include/neml2/math, or of a member "Class::member" of the core. It is the comment of the declaration in
/// the header. If no header has the name, the import of the module is aborted.
const char * doc(const char * name);
} // namespace neml2::python

namespace nanobind::detail
{
template <>
struct type_caster<neml2::python::Any>
{
  NB_TYPE_CASTER(neml2::python::Any, const_name("neml2_tensors.tensors.TensorBase"))

  bool from_python(handle src, uint8_t, cleanup_list *) noexcept { return read(src, value); }
  static handle from_cpp(const neml2::python::Any & a, rv_policy, cleanup_list *) noexcept
  {
    return a.object.inc_ref();
  }

  static bool read(handle src, neml2::python::Any & value) noexcept
  {
    value.type = neml2::python::type_of(src);
    if (!value.type || !inst_ready(src))
      return false;
    const void * p = inst_ptr<void>(src);
    value.tensor = &value.type->tensor(p);
    value.batch_dim = value.type->batch_dim(p);
    value.object = src;
    return true;
  }
};

template <>
struct type_caster<neml2::python::Other>
{
  NB_TYPE_CASTER(neml2::python::Other,
                 const_name("typing_extensions.Self | neml2_tensors.tensors.Scalar"))

  bool from_python(handle src, uint8_t, cleanup_list *) noexcept
  {
    return make_caster<neml2::python::Any>::read(src, value);
  }
  static handle from_cpp(const neml2::python::Other & a, rv_policy, cleanup_list *) noexcept
  {
    return a.object.inc_ref();
  }
};

template <>
struct type_caster<neml2::python::Same>
{
  NB_TYPE_CASTER(neml2::python::Same, const_name("typing_extensions.Self"))

  bool from_python(handle, uint8_t, cleanup_list *) noexcept { return false; }
  static handle from_cpp(const neml2::python::Same & s, rv_policy, cleanup_list *) noexcept
  {
    return s.object.inc_ref();
  }
};
} // namespace nanobind::detail
