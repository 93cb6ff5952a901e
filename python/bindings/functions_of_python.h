// SPDX-License-Identifier: MIT
#pragma once

#include "bindings/groups.h"

/// A function of Python, and the names that it uses besides its arguments.
namespace neml2::python
{
/// The result of a formula's function.
struct Returned
{
  Structure structure;
  Leaves leaves;
};

/// Names and the values that they had when this object was made.
class Uses
{
public:
  Uses() = default;
  /// `places` are pairs of a place and a name in it. A place is a namespace (for example of a module or a class), a cell or an object. The
  /// name in a cell is the name of its variable; the name in an object is the name of an attribute. Names whose value is `object` (the
  /// object of a method) or one of its bound methods are left out.
  explicit Uses(const nb::list & places, nb::handle object = {});

  /// A name whose value has changed; null if there is none.
  const char * changed() const;

  template <class Visit>
  int traverse(const Visit & visit) const
  {
    int stop = 0;
    for (const Use & u : _all)
      for (const nb::object * o : {&u.place, &u.value})
        stop = stop ? stop : visit(*o);
    return stop;
  }

private:
  struct Use
  {
    nb::object place, name, value; ///< the value is empty if the name has none
  };
  std::vector<Use> _all;

  static nb::object value_of(const Use & u);
};

/// A function of Python, and the values that it uses besides its arguments.
class PythonFunction
{
public:
  PythonFunction(nb::object function, const nb::list & used)
    : _function(std::move(function)), _uses(used)
  {
  }

  Returned call(const nb::list & arguments) const;
  const char * changed() const { return _uses.changed(); }
  std::string name() const;

  template <class Visit>
  int traverse(const Visit & visit) const
  {
    const int stop = visit(_function);
    return stop ? stop : _uses.traverse(visit);
  }

private:
  nb::object _function;
  Uses _uses;
};

/// Whether two values of a name are the same: the same object, equal integers, equal strings, or floats with the same bits.
bool is_same_value(nb::handle a, nb::handle b);
} // namespace neml2::python
