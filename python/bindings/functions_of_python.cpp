// SPDX-License-Identifier: MIT
#include "bindings/functions_of_python.h"

namespace neml2::python
{
namespace
{
thread_local int composing = 0;
} // namespace

Composing::Composing()
{
  composing++;
}

Composing::~Composing()
{
  composing--;
}

bool
is_composing()
{
  return composing > 0;
}

bool
is_same_value(nb::handle a, nb::handle b)
{
  if (a.is(b))
    return true;
  if (!a || !b || !a.type().is(b.type()))
    return false;
  if (!PyFloat_CheckExact(a.ptr()) && !PyLong_CheckExact(a.ptr()) && !PyUnicode_CheckExact(a.ptr()))
    return false;
  return PyObject_RichCompareBool(a.ptr(), b.ptr(), Py_EQ) == 1;
}

PythonFunction::PythonFunction(nb::object function, const nb::list & used)
  : _function(std::move(function))
{
  for (const nb::handle pair : used)
  {
    Use u{pair[0], pair[1], {}};
    u.value = nb::borrow(value_of(u));
    _uses.push_back(std::move(u));
  }
}

nb::handle
PythonFunction::value_of(const Use & u)
{
  return PyCell_Check(u.place.ptr()) ? PyCell_GET(u.place.ptr())
                                     : PyDict_GetItem(u.place.ptr(), u.name.ptr());
}

const char *
PythonFunction::changed() const
{
  for (const Use & u : _uses)
    if (const nb::handle now = value_of(u); !now.is(u.value) && !is_same_value(now, u.value))
      return PyUnicode_AsUTF8(u.name.ptr());
  return nullptr;
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
