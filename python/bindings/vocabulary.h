// SPDX-License-Identifier: MIT
#pragma once

#include "bindings/Any.h"
#include "neml2/kernels/Dual.h"
#include "neml2/recorded/newton.h"

#include <functional>

/// The functions of formulas in Python. They are the functions of the headers, called with numbers that are being recorded.
namespace neml2::python
{
using RecordedNumber = recorded::Number;
using Numbers = std::vector<RecordedNumber>;

/// A row: one tensor of a formula that is being recorded.
struct Row
{
  const TypeInfo * type;
  Numbers components;
  TensorShape base; ///< the base shape; a type that fixes one determines it
  uint64_t recording = recorded::Recording::number();
  bool is_number = false; ///< whether it is an argument that is a plain number

  Row(const TypeInfo * of, Numbers c) : Row(of, std::move(c), of->base) {}
  Row(const TypeInfo * of, Numbers c, TensorShapeRef shape)
    : type(of), components(std::move(c)), base(shape.begin(), shape.end())
  {
  }
};

using Rows = std::vector<Row>;

/// A function of rows of certain types.
struct RowFunction
{
  std::vector<const TypeInfo *> arguments;
  std::function<Rows(const Rows &)> call;
};

/// All functions of one name, one for each list of argument types; empty if there is none.
const std::vector<RowFunction> & row_functions(const std::string & name);
/// The function of this name for arguments of these types; null if there is none.
const RowFunction * find_row_function(const std::string & name, const Rows & arguments);
/// The names of all functions, each with the names of the types that it takes.
nb::list row_vocabulary();
/// Calls the function of this name on these rows. Throws TypeError if it does not exist for their types.
Rows call_rows(const std::string & name, const Rows & arguments);
/// Component (i, j, ...) of a row.
Row component(const Row & row, const std::vector<int> & index);
/// The type Scalar, and the type Tensor, which may have any base shape.
const TypeInfo & scalar_type();
const TypeInfo & tensor_type();

/// Records newton for the numbers of a guess. unknown[k] is the unknown (tensor or number) to which number k belongs. This function and the
/// four below throw if there are too many numbers, or too many rows of a matrix.
recorded::RecordedNewton record_newton(const recorded::Residual & residual,
                                       const Numbers & guess,
                                       const std::vector<int> & unknown,
                                       const kernels::NewtonOptions & options);
/// Functions of matrices with `rank` rows. Matrices are lists of their numbers, row by row.
Numbers record_solve(const Numbers & A, const Numbers & b, size_t rank);
Numbers record_inverse(const Numbers & A, size_t rank);
Numbers record_determinant(const Numbers & A, size_t rank);
Numbers record_cholesky(const Numbers & A, size_t rank);

/// Adds all functions to the vocabulary. generate.py writes the body of this C++ function.
void add_row_functions();

/// Binds the functions and classes that record formulas, and Formula.
void bind_formulas(nb::module_ & m);
/// If an argument belongs to a formula, repeats a failed call of a bound function in that formula. Otherwise returns an empty object.
nb::object call_in_formula(const std::string & function,
                           PyObject * const * arguments,
                           size_t n,
                           PyObject * names);
} // namespace neml2::python
