// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/operands.h"

/// Positions of dimensions and of components, counted from either end.
namespace neml2::core
{
/// The position of component i of n; a negative i counts from the end. `where` names the caller in
/// messages, such as R2::row.
inline Size
component(const char * where, Size i, Size n)
{
  NEML2_CHECK_AS(IndexException,
                 -n <= i && i < n,
                 where,
                 ": the component index ",
                 i,
                 " is out of range: expected one in [",
                 -n,
                 ", ",
                 n,
                 ").");
  return i >= 0 ? i : n + i;
}

/// Position of dimension d of the group [lo, hi) of the operand's dimensions; negative d counts from hi.
inline Size
position(const char * where, const Operand & o, Size d, Size lo, Size hi)
{
  const Size n = hi - lo;
  NEML2_CHECK_AS(IndexException,
                 -n <= d && d < n,
                 where,
                 ": The dimension ",
                 d,
                 " is out of range for ",
                 o,
                 ": expected one in [",
                 -n,
                 ", ",
                 n,
                 ").");
  return d >= 0 ? lo + d : hi + d;
}
template <class T, std::enable_if_t<is_tensor<T>, int> = 0>
Size
position(const char * where, const T & t, Size d, Size lo, Size hi)
{
  check_defined(where, t);
  return position(where, operand(t), d, lo, hi);
}
} // namespace neml2::core
