// SPDX-License-Identifier: MIT
#pragma once

#include "support/operation.h"

/// Whether an operation refuses operands that it does not support, and gives the reason.
namespace neml2::test
{
/// The operation refuses these arguments, and its message has its name and each of the texts.
Verdict refuses(const Operation & op, const Arguments & a, const std::vector<std::string> & texts);

/// Undefined operands, dtypes for which it is not defined, mixed dtypes, different devices, and
/// batch shapes that do not broadcast give NEMLExceptions that say what is wrong and what to do.
Verdict refuses_bad_operands(const Operation & op);
} // namespace neml2::test
