// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/errors.h"

namespace neml2::core
{
/// How many formulas this thread is running on whole batches.
inline int &
formulas_on_batches()
{
  static thread_local int count = 0;
  return count;
}

/// While an object of this struct lives, this thread runs a formula on whole batches.
struct FormulaScope
{
  FormulaScope() { formulas_on_batches()++; }
  ~FormulaScope() { formulas_on_batches()--; }
  FormulaScope(const FormulaScope &) = delete;
  FormulaScope & operator=(const FormulaScope &) = delete;
};

/// Refuses s[i] in a formula, because s[i] is a row of a batch, but a component of one tensor.
inline void
check_brackets(const char * type)
{
  NEML2_CHECK(formulas_on_batches() == 0,
              type,
              ": s[i] in a formula would be an entry of the batch when the formula runs on whole "
              "batches: write s(i) for the stored component i.");
}
} // namespace neml2::core
