// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/recorded_formula.h"

/**
 * Runs recorded formulas on whole batches, where no loop and no kernel can run them: on devices without kernels, in traces, under functorch
 * in C++, and on fake tensors.
 *
 * Each number of a formula is a column, which is a tensor of the batch's shape. Each operation is one call or a few calls of LibTorch, so
 * the results have the derivatives of LibTorch's operations, to any order. The recorded derivatives are exact at more points; they are
 * separate programs, which also run on columns.
 */
namespace neml2::math
{
/// Computes the results of a program, (batch; base) each. `batch` is the shape to which the arguments broadcast. The numbers are computed
/// in float64 if the device has it.
void evaluate_on_columns(const recorded::Evaluator & program,
                         ArrayRef<core::Operand> arguments,
                         TensorShapeRef batch,
                         ArrayRef<TensorShapeRef> bases,
                         at::Tensor * results);

/// Computes the gradients with respect to the needed arguments, where RecordedFormula::backward cannot compute them in one pass.
void backward_on_columns(const engine::RecordedFormula & formula,
                         ArrayRef<core::Operand> operands,
                         ArrayRef<bool> needed,
                         at::Tensor * gradients);
} // namespace neml2::math

#ifndef NEML2_COMPILED // otherwise the compiled library defines these functions
#include "neml2/math/columns-inl.h"
#endif
