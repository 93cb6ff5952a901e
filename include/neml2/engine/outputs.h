// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/operands.h"
#include "neml2/engine/limits.h"

/// Checks of existing tensors into which an operation will write its results.
namespace neml2::engine
{
/// Whether two operands may share memory, even through different storages.
bool may_share_memory(const Operand & a, const Operand & b);
/// Whether the rows of two operands are the same in memory.
bool are_the_same_rows(const Operand & a, const Operand & b);

/// Checks each output, and that no two outputs share memory.
void check_outputs(const Operation & op,
                   ArrayRef<Operand> outputs,
                   TensorShapeRef batch,
                   ArrayRef<Operand> inputs);
} // namespace neml2::engine

#ifndef NEML2_COMPILED // otherwise the compiled library defines these functions
#include "neml2/engine/outputs-inl.h"
#endif
