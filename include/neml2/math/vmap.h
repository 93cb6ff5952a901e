// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/groups.h"
#include "neml2/engine/in_float32.h"
#include "neml2/math/formula.h"
#include "neml2/math/numbers_of.h"
#include "neml2/math/operators.h"

/**
 * A formula for single tensors, run over the batch.
 *
 *     const auto [stress, energy] = vmap(
 *         [](auto strain, auto E, auto nu) { return std::tuple(..., ...); }, strain, E, 0.3);
 *
 * The formula takes single tensors as `auto` (or `const auto &`) parameters, uses the library's vocabulary (operators, tr, dev, inner,
 * norm, where, rotate, ...), and returns a tensor, a number or a group of them (a std::tuple, a struct). In the pass over memory, each
 * number of these single tensors is a pack: the numbers of several points. Where the formula is recorded, each number is a symbol, which
 * records the operations. The formula must not branch on a value: use where(condition, a, b).
 *
 * Related headers: vmap_out.h (results in existing tensors), jacobian.h (Jacobians), autograd.h (fused
 * gradients).
 */
namespace neml2
{
/**
 * Evaluates the formula f over the batch: in one pass over memory for dense CPU tensors of float32 or float64. Otherwise f is recorded, by
 * one call with symbols, and the recording runs: on CUDA as a kernel, under transforms of functorch and on other devices as LibTorch's
 * calls. float16 and bfloat16 are computed in float32, integers in float64.
 *
 * (...; base) of each argument -> (...; base) of each result; batch shapes broadcast, and so do plain
 * numbers, which f takes as scalars. An argument or a result may be a group, such as the parameters of a model or its
 * state: a std::tuple, or a struct templated on the types of its fields. Autograd computes the gradients from the recording. To compute
 * them in a compiled loop, include neml2/math/autograd.h and write vmap(with_gradient(f), ...).
 *
 * @throws NEMLException if an argument is undefined, dtypes or devices differ, or batch shapes do not
 *   broadcast.
 */
template <class F, class... A>
auto
vmap(const F & f, const A &... a)
{
  if constexpr (engine::needs_groups<F, A...>())
    return engine::by_leaves(
        f, [](const auto & g, const auto &... leaf) { return vmap(g, leaf...); }, a...);
  else if constexpr (engine::is_formula<F, A...>)
    return math::evaluate_formula(f, engine::formula_argument(a)...);
}

/**
 * Makes vmap and vmap_out compute the formula f in float32 for float32 tensors. They then compute twice as many points at once, and
 * elementary functions are as fast as LibTorch's.
 *
 *     const Scalar rate = vmap(in_float32(flow_rule), stress, n);
 *
 * Without in_float32 the results are computed in float64 and rounded once, to the full accuracy of float32. With it each operation of the
 * formula rounds to float32: do not use it where digits cancel, as in differences of nearly equal numbers. The formula must have a single
 * result; the result and the arguments must be scalars or plain numbers. The formula must not call newton. in_float32 has no effect on
 * tensors of float64, on other devices, or on derivatives.
 */
template <class F>
engine::InFloat32<F>
in_float32(const F & f)
{
  return {f};
}
} // namespace neml2
