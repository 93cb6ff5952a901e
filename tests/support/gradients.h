// SPDX-License-Identifier: MIT
#pragma once

#include "support/operation.h"

/// Whether derivative rules are used, and agree with the derivatives of the composed path.
namespace neml2::test
{
/// Autograd records the operation as one node, that of its derivative rule, and its first and second
/// derivatives are those of the composed path. The cases differ in dtypes, batch shapes, layouts in memory
/// (also of the incoming gradient), and arguments that need no gradient.
Verdict gradients_are_fused_and_right(const Operation & op);
} // namespace neml2::test
