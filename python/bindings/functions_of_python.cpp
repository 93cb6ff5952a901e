// SPDX-License-Identifier: MIT
#include "bindings/functions_of_python.h"

#include <cstring>

namespace neml2::python
{
bool
is_same_value(nb::handle a, nb::handle b)
{
  if (a.is(b))
    return true;
  if (!a || !b || !a.type().is(b.type()))
    return false;
  if (PyFloat_CheckExact(a.ptr())) // 0.0 is not -0.0, but NaN is the same as NaN
  {
    const double x = PyFloat_AS_DOUBLE(a.ptr()), y = PyFloat_AS_DOUBLE(b.ptr());
    return std::memcmp(&x, &y, sizeof x) == 0;
  }
  if (!PyLong_CheckExact(a.ptr()) && !PyUnicode_CheckExact(a.ptr()))
    return false;
  return PyObject_RichCompareBool(a.ptr(), b.ptr(), Py_EQ) == 1;
}

Uses::Uses(const nb::list & places, nb::handle object)
{
  for (const nb::handle pair : places)
  {
    Use u{pair[0], pair[1], {}};
    u.value = value_of(u);
    const bool is_own = object && u.value && PyMethod_Check(u.value.ptr()) &&
                        PyMethod_GET_SELF(u.value.ptr()) == object.ptr();
    if (!is_own && !(object && u.value.is(object)))
      _all.push_back(std::move(u));
  }
}

nb::object
Uses::value_of(const Use & u)
{
  PyObject * const place = u.place.ptr();
  if (PyCell_Check(place))
    return nb::borrow(PyCell_GET(place));
  if (PyDict_Check(place))
    return nb::borrow(PyDict_GetItem(place, u.name.ptr()));
  PyObject * const value = Py_TYPE(place) == &PyDictProxy_Type
                               ? PyObject_GetItem(place, u.name.ptr())
                               : PyObject_GetAttr(place, u.name.ptr());
  PyErr_Clear();
  return nb::steal(value);
}

const char *
Uses::changed() const
{
  for (const Use & u : _all)
    if (const nb::object now = value_of(u); !is_same_value(now, u.value))
      return PyUnicode_AsUTF8(u.name.ptr());
  return nullptr;
}

std::string
PythonFunction::name() const
{
  const nb::object own = nb::getattr(_function, "__name__", nb::none());
  return nb::isinstance<nb::str>(own) ? nb::cast<std::string>(own)
                                      : nb::type_name(_function.type()).c_str();
}

Returned
PythonFunction::call(const nb::list & arguments) const
{
  const nb::object result = _function(*arguments);
  Returned r;
  r.structure.take_apart(result, r.leaves);
  return r;
}
} // namespace neml2::python
