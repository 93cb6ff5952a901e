// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// C++ formulas whose text the program has, and the results computed from them: the data from which sources for devices are written.
namespace neml2::recorded
{
/// A type of rows.
struct RowType
{
  const char * name; ///< null for a type that is not the library's
  const int64_t * shape;
  int dims;
  bool is_number; ///< a plain number, not a tensor

  constexpr int numbers() const
  {
    int64_t n = 1;
    for (int d = 0; d < dims; d++)
      n *= shape[d];
    return int(n);
  }
};

/// A name in the text of a formula that the library does not define: the value of a constant, or the definition of a struct.
struct Definition
{
  std::string name, text;
  bool is_type = false;
};
using Definitions = std::vector<Definition>;

/// The text of a formula: an expression that is called with the rows of its arguments. For an operation of the library it may be the
/// name of a function of kernels/, with or without a type before it, or an operator between the names of two types.
struct FormulaText
{
  const char * text;
  bool is_operation;
  /// Appends the definitions that the text uses, each after those that it uses itself; null if there are none.
  void (*define)(Definitions & all) = nullptr;
  /// If arguments or results are groups: makes the code that calls the formula of this name with the leaves of the groups. Otherwise
  /// null.
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

/// A kernel of a formula, and which results it computes.
struct TileText
{
  enum class Kind
  {
    value,
    jacobian, ///< the results, then the Jacobians of the results `of` by the arguments `by`
    gradient ///< the gradient by the single argument `by`, from the arguments and the gradients of the results
  };

  Kind kind;
  FormulaText formula;
  List<RowType> results, arguments;
  List<size_t> by = {nullptr, 0}, of = {nullptr, 0};
};
} // namespace neml2::recorded
