// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/gradients/rules.h"
#include "neml2/tensors/spectral-inl.h"

/// Derivative rules of eigenvalues, and of ieigh, which computes tensors from their eigenvalues and eigenvectors.
namespace neml2::gradients
{
inline const bool has_spectral_rules = []
{
  add_gradient_rule<tensors::Eigenvalues, Vec, SR2>(
      [](const Vec & g, const SR2 & s)
      {
        return evaluate<SR2>(
            "eigenvalues",
            [](const auto & h, const auto & a) { return ieigh(h, eigh(a).second); },
            g,
            s);
      });
  add_gradient_rule<tensors::Ieigh, SR2, Vec, R2>(
      [](const SR2 & g, const Vec &, const R2 & V)
      {
        return evaluate_leaf<Vec>(
            "ieigh",
            [](const auto & h, const auto & v)
            {
              const auto x = rotate(h, transpose(v));
              return kernels::Vec<std::decay_t<decltype(x[0])>>(x[0], x[1], x[2]);
            },
            [](const SR2 & h, const R2 & v)
            { return Vec((raw(v) * at::matmul(full(h), v)).sum(-2)); },
            g,
            V);
      },
      [](const SR2 & g, const Vec & l, const R2 & V)
      {
        return evaluate_leaf<R2>(
            "ieigh",
            [](const auto & h, const auto & a, const auto & v)
            {
              auto r = full(h) * v;
              for (int i = 0; i < 9; i++)
                r[i] = r[i] * a[i % 3] * 2.0;
              return r;
            },
            [](const SR2 & h, const Vec & a, const R2 & v)
            { return R2(at::matmul(full(h), v) * raw(a).unsqueeze(-2) * 2); },
            g,
            l,
            V);
      });
  return true;
}();
} // namespace neml2::gradients
