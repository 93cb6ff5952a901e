// SPDX-License-Identifier: MIT
#pragma once

#include "bindings/groups.h"

/// A function of Python, and what it uses besides its arguments.
namespace neml2::python
{
/// What the function of a formula returned.
struct Returned
{
  Structure structure;
  Leaves leaves;
};

/// A function, with the values that global names and variables around it have now.
class PythonFunction
{
public:
  /// used: tuples of a namespace and a name, and tuples of the cell of a variable and its name.
  PythonFunction(nb::object function, const nb::list & used);

  const nb::object & function() const { return _function; }
  Returned call(const nb::list & arguments) const;
  /// What has another value now; null if there is nothing.
  const char * changed() const;

  template <class Visit>
  int traverse(const Visit & visit) const
  {
    int stop = visit(_function);
    for (const Use & u : _uses)
      for (const nb::object * o : {&u.place, &u.value})
        stop = stop ? stop : visit(*o);
    return stop;
  }

private:
  struct Use
  {
    nb::object place, name, value; ///< without a value where there is none
  };
  nb::object _function;
  std::vector<Use> _uses;

  static nb::handle value_of(const Use & u);
};

/// While functions of formulas are called on whole batches in this thread. As while they are recorded, x += y then makes
/// another tensor: no argument is written to.
class Composing
{
public:
  Composing();
  Composing(const Composing &) = delete;
  Composing & operator=(const Composing &) = delete;
  ~Composing();
};
bool is_composing();

/// Whether what a name stands for is the same: the object, or a number or a text that is equal.
bool is_same_value(nb::handle a, nb::handle b);
} // namespace neml2::python
