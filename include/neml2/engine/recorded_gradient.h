// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/recorded_formula.h"

/// How gradients pass back through recorded formulas, any number of times: the gradient of a recorded formula is one itself.
namespace neml2::engine
{
/// The gradient of a recorded formula. The derived class composes the formula of LibTorch's operations where no loop or kernel can run.
class RecordedGradient : public Gradient
{
public:
  const char * name() const override { return "VmapBackward"; }

  /// With grad mode on (create_graph), autograd records the gradients, whose own gradient is that of RecordedFormula::gradient.
  bool backward(ArrayRef<at::Tensor> results,
                ArrayRef<at::Tensor> arguments,
                ArrayRef<bool> needed,
                at::Tensor * gradients) const override;

protected:
  /// The formula; null if there is none, so that compose() is differentiated.
  virtual std::shared_ptr<const RecordedFormula> formula() const = 0;
};

/// The gradient of the formula that gives the results of another formula and their Jacobians; see RecordedFormula::with_jacobians. `gradient`
/// is that of the other formula.
std::shared_ptr<const Gradient> gradient_of_jacobians(std::shared_ptr<const Gradient> gradient,
                                                      std::shared_ptr<const RecordedFormula> both,
                                                      std::vector<size_t> by,
                                                      std::vector<size_t> of);
} // namespace neml2::engine

#ifndef NEML2_COMPILED // otherwise the compiled library defines these functions
#include "neml2/engine/recorded_gradient-inl.h"
#endif
