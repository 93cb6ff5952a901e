// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/types.h"

#include <atomic>
#include <memory>

/**
 * How gradients pass back through operations that the fused loop evaluates.
 *
 * Autograd's node is defined in engine/autograd.h, which includes heavy headers of LibTorch, and
 * registers itself here. In a program without the node, an operation that has a gradient to record is
 * composed of LibTorch's own operations, and autograd differentiates these.
 */
namespace neml2::engine
{
/// Computes the gradients of one operation. Autograd's node of the operation keeps this object and the arguments.
class Gradient : public std::enable_shared_from_this<Gradient>
{
public:
  virtual ~Gradient() = default;

  /// The name of the operation and of its node.
  virtual const char * name() const = 0;

  /// Computes the gradients with respect to the needed arguments from the gradients with respect to the results. Each gradient has the
  /// shape of its argument. An undefined gradient of a result means zero; the function may leave a gradient undefined if it is zero or not
  /// needed. It returns false if the operation has no rule for these gradients. Then the caller differentiates the results of compose().
  virtual bool backward(ArrayRef<at::Tensor> results,
                        ArrayRef<at::Tensor> arguments,
                        ArrayRef<bool> needed,
                        at::Tensor * gradients) const = 0;

  /// Computes the results with LibTorch's own operations.
  virtual void compose(ArrayRef<at::Tensor> arguments, at::Tensor * results) const = 0;
};

/// A new variable with the value of t. If create_graph is true (the derivatives will be differentiated again), the variable depends on t.
inline at::Tensor
as_variable(const at::Tensor & t, bool create_graph)
{
  return create_graph && t.requires_grad() ? t.view_as(t) : t.detach().set_requires_grad(true);
}

/// Records the results of an operation on these arguments in autograd's graph.
using RecordGradient = void (*)(std::shared_ptr<const Gradient>,
                                ArrayRef<at::Tensor> arguments,
                                at::Tensor * results,
                                size_t count);

/// Set by engine/autograd.h, or by the compiled library.
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
