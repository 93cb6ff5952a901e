// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/formula_gradient.h"
#include "neml2/math/vmap.h"

/**
 * Gradients of formulas, computed in one pass over memory (the fused loop).
 *
 * If one source file of a header-only program includes this header, vmap's forward pass is fused also where autograd
 * records it; with neml2::compiled it always is. with_gradient(f) fuses the backward pass, too.
 */
namespace neml2
{
/**
 * Makes vmap compute the gradients of the formula f in fused passes, too: exact vector-Jacobian
 * products by dual numbers, one pass over memory per argument that requires grad.
 *
 * Higher derivatives (create_graph) are derivatives of the formula's recording. with_gradient costs compile time: one
 * derivative of the formula is compiled per argument. f must not capture variables: pass parameters as arguments, or
 * let f be a struct whose fields are plain numbers.
 */
template <class F>
math::WithGradient<F>
with_gradient(const F & f)
{
  return {f};
}
} // namespace neml2
