// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Formulas of C++ whose text a program knows, and what is computed of them, as data: what sources for devices are made of.
namespace neml2::recorded
{
/// A type of rows.
struct RowType
{
  const char * name; ///< null of a type that is none of the library's
  const int64_t * shape;
  int dims;
  bool is_number; ///< a plain number, no tensor

  constexpr int numbers() const
  {
    int64_t n = 1;
    for (int d = 0; d < dims; d++)
      n *= shape[d];
    return int(n);
  }
};

/// What a formula's text names besides the library: the value of a constant, or the definition of a struct.
struct Definition
{
  std::string name, text;
  bool is_type = false;
};
using Definitions = std::vector<Definition>;

/// The text of a formula: an expression that is called with the rows of its arguments. Of one of the library's operations it may be the
/// name of a function of kernels/, behind a type's or not, or an operator between the names of two types.
struct FormulaText
{
  const char * text;
  bool is_operation;
  /// Appends what the text names, and before it what that names; null if nothing.
  void (*define)(Definitions & all) = nullptr;
  /// Where arguments or results are groups: what calls the formula of a name with the leaves; else null.
  std::string (*call)(const std::string & formula) = nullptr;
};

template <class T>
struct List
{
  const T * data;
  int size;

  constexpr const T * begin() const { return data; }
  constexpr const T * end() const { return data + size; }
  constexpr const T & operator[](int k) const { return data[k]; }
};

/// What one kernel computes.
struct TileText
{
  enum class Kind
  {
    value,
    jacobian, ///< the results, then the Jacobians of the results `of` by the arguments `by`
    gradient ///< of the arguments and the gradients of the results: the gradient by the one argument `by`
  };

  Kind kind;
  FormulaText formula;
  List<RowType> results, arguments;
  List<size_t> by = {nullptr, 0}, of = {nullptr, 0};
};
} // namespace neml2::recorded
