// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/gradients/rules.h"
#include "neml2/tensors/solve-inl.h"

/// Derivative rules of systems of linear equations.
namespace neml2::gradients
{
/// The rule of the solution X of A X = B. If g is the gradient with respect to X, the gradient with respect to B is h = A^-T g, and the
/// gradient with respect to A is -h Xᵀ. Source: Giles (2008), Collected matrix derivative results for forward and reverse mode
/// algorithmic differentiation, section 2.3.
template <class A, class B, class Transposed, class Product>
bool
add_solve_rule(const Transposed & transposed, const Product & product)
{
  return add_gradient_rule<tensors::Solve, B, A, B>(
      [=](const B & g, const A & a, const B & b)
      {
        return evaluate<A>(
            "solve",
            [=](const auto & h, const auto & x, const auto & y)
            {
              if constexpr (kernels::has_numbers<std::decay_t<decltype(x)>>)
                return kernels::solve_gradient(h, x, y);
              else
                return -product(solve(transposed(x), h), solve(x, y));
            },
            g,
            a,
            b);
      },
      [=](const B & g, const A & a, const B &)
      {
        return evaluate<B>(
            "solve", [=](const auto & h, const auto & x) { return solve(transposed(x), h); }, g, a);
      });
}

inline const bool has_solve_rules = []
{
  const auto matrix = [](const auto & a) { return transpose(a); };
  const auto map = [](const auto & a) { return transpose_major(a); };
  const auto column = [](const auto & h, const auto & x) { return outer(h, x); };
  add_solve_rule<R2, Vec>(matrix, column);
  add_solve_rule<R2, R2>(matrix, [](const auto & h, const auto & x) { return h * transpose(x); });
  const auto columns = [](const auto & h, const auto & x) { return h * transpose_major(x); };
  add_solve_rule<SSR4, SR2>(map, column);
  add_solve_rule<SSR4, SSR4>(map, columns);
  add_solve_rule<R4, R2>(map, column);
  add_solve_rule<R4, R4>(map, columns);
  return true;
}();
} // namespace neml2::gradients
