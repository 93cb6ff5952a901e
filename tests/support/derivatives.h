// SPDX-License-Identifier: MIT
#pragma once

#include "support/operation.h"

#include <torch/csrc/autograd/autograd.h>

/// Whether autograd's derivatives agree with central differences.
namespace neml2::test
{
/// Σ of all entries of the tensors, each weighted.
at::Tensor project(const Arguments & tensors, const Arguments & weights);

/// Gradient of y by each x; zeros where y does not depend on it.
Arguments gradient(const at::Tensor & y, const Arguments & x, bool create_graph);

Arguments tracked(const Arguments & x);

/// Whether first derivatives are right; the difference quotient is computed on the fused path.
Verdict first_derivatives_are_right(const Operation & op);

/// Whether second derivatives are right: the derivatives of a random projection of the gradient.
Verdict second_derivatives_are_right(const Operation & op);

/// Both checks, for a function of tensors of types T..., for example
/// derivatives_are_right<SR2>(dev).
template <class First, class... T, class F>
Verdict
derivatives_are_right(const F & f)
{
  const auto op = operation<First, T...>("the operation", core::Accepts::floating, f);
  const auto first = first_derivatives_are_right(op);
  return first ? second_derivatives_are_right(op) : first;
}
} // namespace neml2::test
