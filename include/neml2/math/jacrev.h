// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/strictness.h"
#include "neml2/math/autograd.h"

#include <vector>

/// Jacobians of computations that autograd has recorded; Jacobians of a formula, in one pass, are in jacobian.h.
namespace neml2
{
/**
 * The derivatives ∂y/∂x of each batch entry of y with respect to the same entry of each x, computed by autograd.
 *
 * (batch; base y), (batch; base x) -> (batch; base y, base x). A batch entry of y must not depend on other entries of
 * x: autograd would add derivatives of different entries of y. jacrev runs one backward pass per base entry of y, for all
 * xs together. If y was not computed from anything that requires grad, the results are undefined tensors.
 *
 * retain_graph keeps the graph of y for another derivative; its default is true only if core::Strictness is relaxed. create_graph records
 * this derivative, for second derivatives; allow_unused gives zeros for an x that y does not depend on.
 *
 * @throws NEMLException if batch shapes of y and x differ, for an undefined or integer tensor, for
 * an x that does not require grad, and without allow_unused for an x that y does not depend on.
 */
std::vector<Tensor> jacrev(const Tensor & y,
                           const std::vector<Tensor> & xs,
                           bool retain_graph = core::Strictness::relaxed,
                           bool create_graph = false,
                           bool allow_unused = false);

/// The derivative ∂y/∂x of each batch entry of y with respect to the same entry of one x. See jacrev(y, xs).
/// (batch; base y), (batch; base x) -> (batch; base y, base x)
Tensor jacrev(const Tensor & y,
              const Tensor & x,
              bool retain_graph = core::Strictness::relaxed,
              bool create_graph = false,
              bool allow_unused = false);
} // namespace neml2

#ifndef NEML2_COMPILED // otherwise the compiled library defines these functions
#include "neml2/math/jacrev-inl.h"
#endif
