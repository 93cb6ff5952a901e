// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/recorded_formula.h"

/// How gradients pass back through recorded formulas, any number of times: the gradient of a recorded formula is one itself.
namespace neml2::engine
{
/// The gradient of a recorded formula. The derived class composes the formula of LibTorch's operations, for where no loop or kernel can run.
class RecordedGradient : public Gradient
{
public:
  explicit RecordedGradient(std::shared_ptr<const RecordedFormula> formula)
    : _formula(std::move(formula))
  {
  }

  const char * name() const override { return "VmapBackward"; }

  /// With grad mode on (create_graph), the gradients are results of a formula that autograd records.
  bool backward(ArrayRef<at::Tensor> results,
                ArrayRef<at::Tensor> arguments,
                ArrayRef<bool> needed,
                at::Tensor * gradients) const override;

protected:
  const RecordedFormula & formula() const { return *_formula; }
  /// The arguments as operands; `numbers` keeps the plain numbers among them.
  std::vector<Operand> operands(ArrayRef<at::Tensor> arguments,
                                std::vector<double> & numbers) const;

private:
  std::shared_ptr<const RecordedFormula> _formula;
};

/// The gradient of the formula that gives the results of another formula and their Jacobians; see RecordedFormula::with_jacobians. `gradient`
/// is that of the other formula, null where autograd does not record formulas.
std::shared_ptr<const Gradient> gradient_of_jacobians(std::shared_ptr<const Gradient> gradient,
                                                      std::shared_ptr<const RecordedFormula> both,
                                                      std::vector<size_t> by,
                                                      std::vector<size_t> of);
} // namespace neml2::engine

#ifndef NEML2_COMPILED // otherwise the compiled library defines these functions
#include "neml2/engine/recorded_gradient-inl.h"
#endif
