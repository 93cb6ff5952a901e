// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/formula_jacobian.h"
#include "neml2/math/autograd.h"

/// A formula and its exact Jacobian in one pass; Jacobians of what autograd has recorded are in jacrev.h.
namespace neml2
{
/**
 * The formula f over the batch, and its exact Jacobian by argument I, in one pass: a pair of value and
 * ∂value/∂argument, or of tuples of them where f returns a std::tuple.
 *
 * (...; y), by an argument (...; x) -> (...; y) and (...; y, x): an SR2 by an SR2 is an SSR4 (the
 * consistent tangent of a stress update), a Scalar by an X is of X's shape, a Y by a Scalar of Y's, an
 * R2 by a Vec is an R3; a neml2::Tensor where no type has the shape. Arguments, formula and errors are
 * those of vmap; the header of the Jacobian's type must be included. Where autograd has to record an
 * argument, value and Jacobian are differentiable, and computed on whole batches: use a NoGradGuard if
 * only the numbers are wanted.
 *
 *     const auto [stress, tangent] = value_and_jacobian<0>(update, strain, E, nu);
 */
template <size_t I, class F, class... A>
auto
value_and_jacobian(const F & f, const A &... a)
{
  static_assert(I < sizeof...(A), "value_and_jacobian<I>: there is no argument I");
  if constexpr (I < sizeof...(A))
  {
    constexpr bool is_tensor = core::is_primitive<std::tuple_element_t<I, std::tuple<A...>>>;
    static_assert(is_tensor,
                  "value_and_jacobian<I>: argument I must be a tensor; make a number a Scalar");
    if constexpr (is_tensor && engine::is_formula<F, A...>)
      return engine::differentiate_formula<I>(f, engine::formula_argument(a)...);
  }
}
} // namespace neml2
