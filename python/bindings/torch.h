// SPDX-License-Identifier: MIT
#pragma once

#include <torch/csrc/Device.h>
#include <torch/csrc/Dtype.h>
#include <torch/csrc/DynamicTypes.h>
#include <torch/csrc/autograd/python_variable.h>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "neml2/core/options.h"

/// Conversions between Python and C++ for PyTorch's objects: tensors (which are not copied), dtypes, devices, numbers and shapes.
namespace neml2::python
{
/// Whether the type of an object is torch.Tensor, or derives from it. THPVariable_Check would ask the object for its __class__, which may
/// be wrong or throw.
inline bool
is_torch_tensor(nanobind::handle object)
{
  return PyType_IsSubtype(Py_TYPE(object.ptr()),
                          reinterpret_cast<PyTypeObject *>(THPVariableClass)) != 0;
}
} // namespace neml2::python

namespace nanobind::detail
{
/// Converts tensors without copying them. An undefined tensor is None in Python.
template <>
struct type_caster<at::Tensor>
{
  NB_TYPE_CASTER(at::Tensor, const_name("torch.Tensor"))

  bool from_python(handle src, uint8_t, cleanup_list *) noexcept
  {
    if (!neml2::python::is_torch_tensor(src))
      return false;
    value = THPVariable_Unpack(src.ptr());
    return true;
  }
  static handle from_cpp(const at::Tensor & t, rv_policy, cleanup_list *) noexcept
  {
    return THPVariable_Wrap(t);
  }
};

template <>
struct type_caster<c10::ScalarType>
{
  NB_TYPE_CASTER(c10::ScalarType, const_name("torch.dtype"))

  bool from_python(handle src, uint8_t, cleanup_list *) noexcept
  {
    if (!THPDtype_Check(src.ptr()))
      return false;
    value = reinterpret_cast<THPDtype *>(src.ptr())->scalar_type;
    return true;
  }
  static handle from_cpp(c10::ScalarType t, rv_policy, cleanup_list *) noexcept
  {
    return handle(reinterpret_cast<PyObject *>(torch::getTHPDtype(t))).inc_ref();
  }
};

template <>
struct type_caster<c10::Device>
{
  static constexpr auto Name = const_name("torch.device");
  template <class T>
  using Cast = T;

  static handle from_cpp(const c10::Device & d, rv_policy, cleanup_list *) noexcept
  {
    return THPDevice_New(d);
  }
};

/// Converts numbers of Python or NumPy. A tensor is not accepted, because reading its value would leave autograd's graph, and wait for a
/// GPU.
template <>
struct type_caster<c10::Scalar>
{
  NB_TYPE_CASTER(c10::Scalar, const_name("float"))

  bool from_python(handle src, uint8_t, cleanup_list *) noexcept
  {
    PyObject * o = src.ptr();
    if (PyFloat_Check(o))
      value = PyFloat_AS_DOUBLE(o);
    else if (PyBool_Check(o))
      value = o == Py_True;
    else if (PyLong_Check(o))
    {
      const int64_t n = PyLong_AsLongLong(o);
      value = n;
      if (n == -1 && PyErr_Occurred()) // the integer has more than 64 bits
      {
        PyErr_Clear();
        value = PyLong_AsDouble(o);
        if (PyErr_Occurred())
        {
          PyErr_Clear();
          return false;
        }
      }
    }
    else if (PyComplex_Check(o))
      value = c10::complex<double>(PyComplex_RealAsDouble(o), PyComplex_ImagAsDouble(o));
    else
      return !inst_check(src) && !neml2::python::is_torch_tensor(o) && is_number(o) &&
             from_number(o);
    return true;
  }
  static handle from_cpp(const c10::Scalar & s, rv_policy, cleanup_list *) noexcept
  {
    if (s.isBoolean())
      return PyBool_FromLong(s.toBool());
    return s.isIntegral(false) ? PyLong_FromLongLong(s.toLong()) : PyFloat_FromDouble(s.toDouble());
  }

private:
  static bool is_number(PyObject * o)
  {
    if (PyUnicode_Check(o) || PySequence_Check(o))
      return false;
    const object number = module_::import_("numbers").attr("Number");
    const int is = PyObject_IsInstance(o, number.ptr());
    PyErr_Clear();
    return is == 1;
  }
  bool from_number(PyObject * o)
  {
    const object n = steal(PyIndex_Check(o) ? PyNumber_Index(o) : PyNumber_Float(o));
    if (n.is_valid())
      return from_python(n, 0, nullptr);
    PyErr_Clear();
    return false;
  }
};

/// Converts a tuple or list of sizes, or one size. There may be at most as many sizes as a tensor may have dimensions.
template <>
struct type_caster<neml2::TensorShape>
{
  NB_TYPE_CASTER(neml2::TensorShape, const_name("collections.abc.Sequence[int]"))

  bool from_python(handle src, uint8_t, cleanup_list *) noexcept
  {
    value.clear();
    if (PyLong_Check(src.ptr()))
      return add(src);
    if (!PyTuple_Check(src.ptr()) && !PyList_Check(src.ptr()))
      return false;
    for (const handle size : borrow<sequence>(src))
      if (!add(size))
        return false;
    return true;
  }
  static handle from_cpp(const neml2::TensorShape & shape, rv_policy, cleanup_list *) noexcept
  {
    PyObject * t = PyTuple_New(Py_ssize_t(shape.size()));
    for (size_t i = 0; t && i < shape.size(); i++)
      PyTuple_SET_ITEM(t, Py_ssize_t(i), PyLong_FromLongLong(shape[i]));
    return t;
  }

private:
  bool add(handle size)
  {
    int64_t n = 0;
    if (!PyIndex_Check(size.ptr()) || !try_cast<int64_t>(size, n))
      return false;
    value.push_back(n);
    return true;
  }
};
} // namespace nanobind::detail

namespace neml2::python
{
namespace nb = nanobind;

/// A device as an argument: a torch.device, or a string that should be the name of a device.
struct DeviceArgument
{
  std::optional<Device> device;
  std::string name;

  Device get() const { return device ? *device : Device(name); }
};

/// A real number as an argument. Like a CScalar it cannot be a tensor.
struct Number
{
  double value = 0;

  operator double() const { return value; }
};

using OptionalDtype = std::optional<Dtype>;
using OptionalDevice = std::optional<DeviceArgument>;

/// The options of a factory. Without a dtype or a device they have torch's current default.
TensorOptions options(OptionalDtype dtype, const OptionalDevice & device, bool requires_grad);
/// The options of a factory of integers. Without a dtype they have this library's default integer dtype.
TensorOptions
integer_options(OptionalDtype dtype, const OptionalDevice & device, bool requires_grad);
} // namespace neml2::python

namespace nanobind::detail
{
template <>
struct type_caster<neml2::python::DeviceArgument>
{
  NB_TYPE_CASTER(neml2::python::DeviceArgument, const_name("torch.device | str"))

  bool from_python(handle src, uint8_t, cleanup_list *) noexcept
  {
    if (THPDevice_Check(src.ptr()))
      value.device = reinterpret_cast<THPDevice *>(src.ptr())->device;
    else
      return PyUnicode_Check(src.ptr()) && try_cast(src, value.name);
    return true;
  }
  static handle
  from_cpp(const neml2::python::DeviceArgument & d, rv_policy, cleanup_list *) noexcept
  {
    return THPDevice_New(d.get());
  }
};

template <>
struct type_caster<neml2::python::Number>
{
  NB_TYPE_CASTER(neml2::python::Number, const_name("float"))

  bool from_python(handle src, uint8_t flags, cleanup_list * cleanup) noexcept
  {
    make_caster<c10::Scalar> number;
    if (!number.from_python(src, flags, cleanup) || number.value.isComplex())
      return false;
    value = {number.value.toDouble()};
    return true;
  }
  static handle from_cpp(const neml2::python::Number & n, rv_policy, cleanup_list *) noexcept
  {
    return PyFloat_FromDouble(n.value);
  }
};
} // namespace nanobind::detail
