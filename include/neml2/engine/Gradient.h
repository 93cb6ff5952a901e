// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/types.h"

#include <atomic>
#include <memory>

/**
 * How gradients pass back through what the fused loop evaluates.
 *
 * The node that autograd needs is defined in engine/autograd.h, whose headers of LibTorch are heavy; it
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

/// Set by engine/autograd.h, or by the library.
NEML2_ONE_A_PROGRAM inline std::atomic<RecordGradient> record_gradient{nullptr};

/// The derivative rule of an operation on arguments of these types, or null; set by tensors/gradients.h.
template <class Op, class... A>
NEML2_ONE_A_PROGRAM inline std::atomic<const std::shared_ptr<const Gradient> *> gradient_rule{
    nullptr};

template <class Op, class... A>
std::shared_ptr<const Gradient>
rule_of()
{
  const auto * const rule = gradient_rule<Op, A...>.load();
  return rule ? *rule : nullptr;
}
} // namespace neml2::engine
