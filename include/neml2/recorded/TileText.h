// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Formulas in C++ whose text the program knows, and the results computed from them: the data from which sources for
/// devices are written.
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

/// A name in a formula's text besides those of the library: the value of a constant, or the definition of a struct.
struct Definition
{
  std::string name, text;
  bool is_type = false;
};
using Definitions = std::vector<Definition>;

/// The text of a formula: an expression that is called with the rows of its arguments. For one of the library's operations it may be the
/// name of a function of kernels/, with or without a type before it, or an operator between the names of two types.
struct FormulaText
{
  const char * text;
  bool is_operation;
  /// Appends the definitions that the text names, each after those that it needs itself; null if there are none.
  void (*define)(Definitions & all) = nullptr;
  /// If arguments or results are groups: makes the code that calls the formula of this name with the leaves. Otherwise
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

/// The results of one kernel.
struct TileText
{
  enum class Kind
  {
    value,
    jacobian, ///< the results, then the Jacobians of the results `of` by the arguments `by`
    gradient ///< from the arguments and the gradients of the results: the gradient by the one argument `by`
  };

  Kind kind;
  FormulaText formula;
  List<RowType> results, arguments;
  List<size_t> by = {nullptr, 0}, of = {nullptr, 0};
};
} // namespace neml2::recorded
