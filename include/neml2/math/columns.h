// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/recorded_formula.h"

/**
 * Runs recorded formulas on whole batches, where no loop and no kernel can run them: on devices without kernels, in traces, under functorch
 * in C++, on fake tensors.
 *
 * Each number of a formula is a column, a tensor of the batch's shape, and each operation is one call of LibTorch, or a few. So the results
 * have the derivatives of LibTorch's operations, to any order; the recorded derivatives, which are exact at more points, are programs of
 * their own, and run on columns, too.
 */
namespace neml2::math
{
/// The results of a program, (batch; base) each. `batch` is the shape to which the arguments broadcast. The numbers are computed in float64
/// if the device has it.
void evaluate_on_columns(const recorded::Evaluator & program,
                         ArrayRef<core::Operand> arguments,
                         TensorShapeRef batch,
                         ArrayRef<TensorShapeRef> bases,
                         at::Tensor * results);

/// The gradients by the needed arguments, as RecordedFormula::backward computes them in one pass.
void backward_on_columns(const engine::RecordedFormula & formula,
                         ArrayRef<core::Operand> operands,
                         ArrayRef<bool> needed,
                         at::Tensor * gradients);
} // namespace neml2::math

#ifndef NEML2_COMPILED // otherwise the compiled library defines these functions
#include "neml2/math/columns-inl.h"
#endif
