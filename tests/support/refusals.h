// SPDX-License-Identifier: MIT
#pragma once

#include "support/operation.h"

/// Whether an operation refuses operands that it does not support, and says why.
namespace neml2::test
{
/// The operation refuses these arguments, names itself and says each of the texts.
Verdict refuses(const Operation & op, const Arguments & a, const std::vector<std::string> & texts);

/// Undefined operands, dtypes it is not defined for or that are mixed, different devices, and batch
/// shapes that do not broadcast are NEMLExceptions with what is wrong and what to do.
Verdict refuses_bad_operands(const Operation & op);
} // namespace neml2::test
