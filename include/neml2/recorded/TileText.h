// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

/// Operations of the library as names and types, from which sources for devices are written.
namespace neml2::recorded
{
/// A type of row. A row is one tensor of a batch.
struct RowType
{
  const char * name; ///< null for a type that does not belong to the library
  const int64_t * shape;
  int dims;
  bool is_number; ///< whether it is a plain number, not a tensor

  constexpr int numbers() const
  {
    int64_t n = 1;
    for (int d = 0; d < dims; d++)
      n *= shape[d];
    return int(n);
  }
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

/// An operation on rows.
struct TileText
{
  /// The name of a function of kernels/ (with or without a type before the name), an operator between the names of two types, or a lambda.
  const char * text;
  List<RowType> results, arguments;
};
} // namespace neml2::recorded
