// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/types.h"

#include <atomic>
#include <cstring>
#include <memory>

/**
 * How gradients pass back through what the fused loop evaluates.
 *
 * The node that autograd needs is defined in math/autograd.h, whose headers of LibTorch are heavy; it
 * hooks in here. In a program without it, an operation that has a gradient to record is composed of
 * LibTorch's own, and differentiated by them.
 */
namespace neml2::engine
{
/// What autograd's node of an operation keeps, besides the arguments.
class Gradient
{
public:
  virtual ~Gradient() = default;

  /// The operation, as the node's name.
  virtual const char * name() const = 0;

  /// Gradients of the needed arguments, each of its argument's shape, from those of the results (the
  /// undefined ones are zero). Of what is not needed, or is zero, nothing is set. False if there is no
  /// rule: then what compose() gives is differentiated.
  virtual bool backward(ArrayRef<at::Tensor> results,
                        ArrayRef<at::Tensor> arguments,
                        ArrayRef<bool> needed,
                        at::Tensor * gradients) const = 0;

  /// The results by LibTorch's own operations.
  virtual void compose(ArrayRef<at::Tensor> arguments, at::Tensor * results) const = 0;
};

/// Makes the results of arguments part of autograd's graph.
using RecordGradient = void (*)(std::shared_ptr<const Gradient>,
                                ArrayRef<at::Tensor> arguments,
                                at::Tensor * results,
                                size_t count);

/// Set by math/autograd.h.
NEML2_ONE_A_PROGRAM inline std::atomic<RecordGradient> record_gradient{nullptr};

/// The derivative rule of an operation, in the list of all rules for its types.
struct GradientRule
{
  const char * operation;
  std::shared_ptr<const Gradient> gradient;
  const GradientRule * next;
};

/// The rules for operations that take these types; filled by tensors/gradients.h.
template <class Result, class... A>
NEML2_ONE_A_PROGRAM inline std::atomic<const GradientRule *> gradient_rules{nullptr};

/// The rule of the operation of this name, or null.
inline const GradientRule *
find_rule(const GradientRule * rule, const char * operation)
{
  while (rule && std::strcmp(rule->operation, operation) != 0)
    rule = rule->next;
  return rule;
}
} // namespace neml2::engine
