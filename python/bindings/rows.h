// SPDX-License-Identifier: MIT
#pragma once

#include "bindings/vocabulary.h"

#include <optional>

/// Operations on rows, the tensors of formulas in Python.
namespace neml2::python
{
/// The result of comparing rows. It has one condition (a truth value at each point) for each component of its base shape.
struct Choice
{
  std::vector<recorded::Condition> conditions;
  TensorShape base;
  uint64_t recording = recorded::Recording::number();

  Choice(std::vector<recorded::Condition> c, TensorShapeRef shape)
    : conditions(std::move(c)), base(shape.begin(), shape.end())
  {
  }
};

[[noreturn]] void fail_type(const std::string & message);

/// The value of a bool of Python or NumPy; none for any other object.
std::optional<bool> truth_value(nb::handle object);

/// The row of an object that is a row, a number, or a tensor without batch dimensions; none for any other object.
std::optional<Row> as_row(nb::handle object);
/// The arguments of a function as rows; throws TypeError for other objects.
Rows rows_of(const std::string & function, const std::vector<nb::handle> & arguments);
Rows rows_in(const std::string & function, const nb::list & arguments);
/// A row, or a tuple of rows.
nb::object as_object(Rows rows);
/// numbers_of returns the numbers of rows, one after the other. rows_of_numbers is its inverse: it makes rows with the types of `like`.
Numbers numbers_of(const Rows & rows);
nb::list rows_of_numbers(const Rows & like, const Numbers & x);

/// The name in formulas of a function or member of Python; for example, SR2.inverse is inv.
std::string formula_name(const std::string & name);
/// Calls the function of this name on rows. The name of a member includes its class, as in SR2.dev. Throws TypeError if the function does
/// not exist.
Rows call_by_name(const std::string & name, const Rows & x);
/// Whether formulas have a function of this name that takes tensors.
bool has_function(const std::string & name);
/// where(c, a, b); none for types that cannot be combined.
std::optional<Row> choose(const Choice & c, const Row & a, const Row & b);
/// The conditions that the function `compare` returns for each pair of components; none for types that cannot be combined.
std::optional<Choice> compare(const Row & a,
                              const Row & b,
                              recorded::Condition (*compare)(const recorded::Symbol &,
                                                             const recorded::Symbol &));

/// The type of a Jacobian with this base shape, as in C++. It is Tensor if no other type has this shape. as_jacobian makes a Jacobian of
/// that type.
const TypeInfo & type_of_jacobian(TensorShapeRef base);
nb::object as_jacobian(const at::Tensor & t, Size batch_dim);

void bind_rows(nb::module_ & m);
void bind_derivatives(nb::module_ & m);
void bind_newton(nb::module_ & m);
void bind_devices(nb::module_ & m);
} // namespace neml2::python
