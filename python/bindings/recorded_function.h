// SPDX-License-Identifier: MIT
#pragma once

#include "bindings/formula_call.h"
#include "bindings/functions_of_python.h"
#include "neml2/engine/recorded_formula.h"

/// The recording of a Python function for arguments of certain types.
namespace neml2::python
{
/// The object of a method. It counts as unchanged if it is the same object, and the values that the method uses are the same. It is held by
/// a weak reference where this is possible.
class Instance
{
public:
  Instance() = default;
  Instance(nb::handle object, const nb::list & used)
    : _attributes(attributes_of(object)), _uses(used, object)
  {
    PyObject * const weak = PyWeakref_NewRef(object.ptr(), nullptr);
    PyErr_Clear();
    _is_weak = weak != nullptr;
    _object = weak ? nb::steal(weak) : nb::borrow(object);
  }

  bool is(nb::handle object) const
  {
    if (!object || !_object.is_valid())
      return !object && !_object.is_valid();
    return now().is(object) && attributes_of(object).is(_attributes) && !changed();
  }
  bool is_there() const { return _object.is_valid(); }
  bool is_gone() const { return _is_weak && now().is_none(); }
  const char * changed() const { return _uses.changed(); }

  template <class Visit>
  int traverse(const Visit & visit) const
  {
    for (const nb::object * o : {&_object, &_attributes})
      if (const int stop = visit(*o))
        return stop;
    return _uses.traverse(visit);
  }

private:
  nb::object _object, _attributes;
  bool _is_weak = false;
  Uses _uses;

  nb::object now() const { return _is_weak ? _object() : _object; }
  /// The namespace (__dict__) of an object, if it has one.
  static nb::object attributes_of(nb::handle object)
  {
    PyObject * const attributes = PyObject_GenericGetDict(object.ptr(), nullptr);
    PyErr_Clear();
    return nb::steal(attributes);
  }
};
/// A function that has been recorded for arguments of certain types.
struct Recorded
{
  size_t arguments;
  Structure groups; ///< the structure of the arguments
  std::vector<Kind> types;
  Instance instance;
  Structure returned;
  std::vector<Kind> results;
  std::shared_ptr<const engine::RecordedFormula> formula;
  std::vector<bool>
      are_integers; ///< whether integer arguments give a result whose type holds integers, such as a MillerIndex
  nb::dict
      chosen; ///< for each value of the argument `of` in past calls, the places of the results that it chooses

  template <class Visit>
  int traverse(const Visit & visit) const
  {
    int stop = instance.traverse(visit);
    for (const Structure * s : {&groups, &returned})
      for (const auto & p : s->parts())
        stop = stop ? stop : visit(p.object);
    return stop ? stop : visit(chosen);
  }
};

/// Records the function for arguments of these types.
std::shared_ptr<Recorded> record(const PythonFunction & f, const Call & c);
} // namespace neml2::python
