// SPDX-License-Identifier: MIT
#pragma once

#include "support/operation.h"

/// Checks on a GPU, where there is one. A test that uses them has the tag [cuda].
namespace neml2::test
{
/// Whether there is no GPU. Counts the checks that are left out for it, and says so at the end of the
/// program: a skipped check is never silent.
bool without_cuda();

/// The operation gives on the GPU what it gives on the CPU.
Verdict same_on_cuda(const Operation & op);
} // namespace neml2::test
