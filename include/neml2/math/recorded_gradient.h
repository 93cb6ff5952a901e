// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/formula.h"

/// Evaluates recorded formulas (lists of the operations of formulas) with their gradients: in one pass over memory, or on whole batches
/// where no loop and no kernel can run.
/// float16 and bfloat16 are computed in float32 and rounded back. Integers are computed in float64, and their results are float64.
namespace neml2::math
{
/// The gradient of a recorded formula. It is a recorded formula itself, so it can be differentiated any number of times. compose() gives
/// the results of the formula on whole batches, for derivatives that are not available in formulas.
class RecordedGradient : public engine::Gradient
{
public:
  const char * name() const override { return "VmapBackward"; }

  /// If grad mode is on (create_graph), autograd records the gradients. Their derivatives are those of the formula that
  /// RecordedFormula::gradient returns.
  bool backward(ArrayRef<at::Tensor> results,
                ArrayRef<at::Tensor> arguments,
                ArrayRef<bool> needed,
                at::Tensor * gradients) const override;

  void compose(ArrayRef<at::Tensor> arguments, at::Tensor * results) const override;

protected:
  /// The formula; if it is null, compose() is differentiated.
  virtual std::shared_ptr<const RecordedFormula> formula() const = 0;
};

/// Computes the results of a formula, (batch; base) each. The caller has checked the operands; `batch` is the shape to which they
/// broadcast.
void evaluate_recorded(const core::Operation & op,
                       const std::shared_ptr<const RecordedFormula> & formula,
                       ArrayRef<core::Operand> operands,
                       TensorShapeRef batch,
                       at::Tensor * results);

/// Computes the results of a formula, then the Jacobian of each result in `of` with respect to each argument in `by`.
void evaluate_recorded_jacobians(const core::Operation & op,
                                 const std::shared_ptr<const RecordedFormula> & formula,
                                 const std::vector<size_t> & by,
                                 const std::vector<size_t> & of,
                                 ArrayRef<core::Operand> operands,
                                 TensorShapeRef batch,
                                 at::Tensor * results);

/// Like evaluate_recorded and evaluate_recorded_jacobians, but into existing tensors and without gradients, as vmap_out does in C++. The
/// outputs are checked before anything is written.
void evaluate_recorded_into(const core::Operation & op,
                            const std::shared_ptr<const RecordedFormula> & formula,
                            ArrayRef<core::Operand> operands,
                            TensorShapeRef batch,
                            ArrayRef<core::Operand> outputs);
void evaluate_recorded_jacobians_into(const core::Operation & op,
                                      const std::shared_ptr<const RecordedFormula> & formula,
                                      const std::vector<size_t> & by,
                                      const std::vector<size_t> & of,
                                      ArrayRef<core::Operand> operands,
                                      TensorShapeRef batch,
                                      ArrayRef<core::Operand> outputs);
} // namespace neml2::math

#ifndef NEML2_COMPILED // otherwise the compiled library defines these functions
#include "neml2/math/recorded_gradient-inl.h"
#endif
