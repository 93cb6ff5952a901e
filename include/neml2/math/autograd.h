// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/formula_gradient.h"
#include "neml2/math/vmap.h"

/**
 * Gradients of operations that the fused loop evaluates.
 *
 * One inclusion in a header-only program, in a source file that is linked into it, is enough to have vmap's forward
 * pass fused also where autograd records it; neml2::compiled has it. with_gradient(f) fuses the backward pass too.
 */
namespace neml2
{
/**
 * The formula f, for vmap to compute its gradients fused as well: exact vector-Jacobian products by
 * dual numbers, one pass over memory for each argument that requires grad.
 *
 * Higher derivatives (create_graph) are LibTorch's own, of the formula on whole batches. This costs compile
 * time: one derivative of the formula per argument. f must not capture: pass parameters as arguments, or let f be a
 * struct whose fields are plain numbers.
 */
template <class F>
engine::WithGradient<F>
with_gradient(const F & f)
{
  return {f};
}
} // namespace neml2
