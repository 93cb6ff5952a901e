// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/NewtonOptions.h"
#include "neml2/math/operators.h"

#include <functional>

/// Newton's method on whole batches, by LibTorch's operations, for recorded formulas that no loop and no kernel can run.
namespace neml2::math
{
using kernels::NewtonOptions;

/// The results of newton on whole batches: (batch; n), (batch; ), and (batch; ) of dtype bool.
struct ComposedNewton
{
  at::Tensor solution, iterations, converged;
};

/// The residual (batch; n) at x (batch; n), and its derivatives (batch; n, n) with respect to x. If `counts` is defined, autograd records
/// both; `counts` is true at the points that have converged.
using ComposedEquations = std::function<std::pair<at::Tensor, at::Tensor>(
    const at::Tensor & x, const at::Tensor & counts)>;

/// Newton's method by LibTorch's operations; `unknowns` has the count of numbers in each unknown. The solution is differentiable if
/// `differentiable` is true and grad mode is on.
ComposedNewton composed_newton(const at::Tensor & guess,
                               ArrayRef<Size> unknowns,
                               const NewtonOptions & options,
                               bool differentiable,
                               const ComposedEquations & equations);
} // namespace neml2::math

#ifndef NEML2_COMPILED // otherwise the compiled library defines these functions
#include "neml2/math/composed_newton-inl.h"
#endif
