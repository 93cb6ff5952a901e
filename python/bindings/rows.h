// SPDX-License-Identifier: MIT
#pragma once

#include "bindings/vocabulary.h"

#include <optional>

/// Tensors of formulas in Python, and the operations on them.
namespace neml2::python
{
/// A truth value per point, for each component of a base shape.
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

/// A truth value of Python or NumPy; none if it is something else.
std::optional<bool> truth_value(nb::handle object);

/// A row from a row, a number, or a tensor of one point; none for any other object.
std::optional<Row> as_row(nb::handle object);
/// The arguments of a function as rows; throws TypeError for other objects.
Rows rows_of(const std::string & function, const std::vector<nb::handle> & arguments);
Rows rows_in(const std::string & function, const nb::list & arguments);
/// A row, or a tuple of rows.
nb::object as_object(Rows rows);
/// The numbers of rows, one after the other; and the inverse: rows with the types of `like` from
/// numbers.
Numbers numbers_of(const Rows & rows);
nb::list rows_of_numbers(const Rows & like, const Numbers & x);

/// The names of members in Python and the functions of formulas: SR2.inverse is inv.
std::string formula_name(const std::string & name);
/// The function of this name in a formula; the name of a member includes its class: SR2.dev. Throws TypeError if there is no such
/// function.
Rows call_by_name(const std::string & name, const Rows & x);
/// Whether a function of this name takes tensors.
bool has_function(const std::string & name);
/// where(condition, a, b); empty for types that cannot be combined.
std::optional<Row> choose(const Choice & c, const Row & a, const Row & b);
/// The conditions that compare gives for each pair of components; empty for types that cannot be
/// combined.
std::optional<Choice> compare(const Row & a,
                              const Row & b,
                              recorded::Condition (*compare)(const recorded::Symbol &,
                                                             const recorded::Symbol &));

/// The type of a Jacobian of this base shape, as in C++: Tensor if no other type has the shape; and a Jacobian of that type.
const TypeInfo & type_of_jacobian(TensorShapeRef base);
nb::object as_jacobian(const at::Tensor & t, Size batch_dim);

void bind_rows(nb::module_ & m);
void bind_derivatives(nb::module_ & m);
void bind_newton(nb::module_ & m);
void bind_devices(nb::module_ & m);
} // namespace neml2::python
