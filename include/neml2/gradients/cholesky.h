// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/gradients/rules.h"
#include "neml2/tensors/cholesky-inl.h"

/// Derivative rules of the Cholesky factor.
namespace neml2::gradients
{
/// The gradient with respect to A, from the gradient with respect to its factor.
template <class A>
A
by_factor(const A & g, const A & a)
{
  return evaluate_leaf<A>(
      "cholesky",
      [](const auto & h, const auto & x)
      { return kernels::cholesky_gradient(kernels::cholesky(x), h); },
      [](const A & h, const A & x) { return composed::cholesky_gradient(x, h); },
      g,
      a);
}

inline const bool has_cholesky_rules = []
{
  add_gradient_rule<tensors::Cholesky, R2, R2>([](const R2 & g, const R2 & A)
                                               { return by_factor(g, A); });
  add_gradient_rule<tensors::Cholesky, SSR4, SSR4>([](const SSR4 & g, const SSR4 & C)
                                                   { return by_factor(g, C); });
  add_gradient_rule<tensors::Cholesky, R2, SR2>([](const R2 & g, const SR2 & s)
                                                { return sym(by_factor(g, full(s))); });
  return true;
}();
} // namespace neml2::gradients
