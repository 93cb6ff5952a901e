// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/gradients/rules.h"
#include "neml2/tensors/isotropic_functions-inl.h"

/// Derivative rules of functions of symmetric tensors.
namespace neml2::gradients
{
// The derivative of f at s is symmetric. Source: Higham (2008), Functions of Matrices, section 3.2.
inline const bool has_isotropic_function_rules = []
{
  add_gradient_rule<tensors::Expm, SR2, SR2>([](const SR2 & g, const SR2 & s)
                                             { return dexpm(s, g); });
  add_gradient_rule<tensors::Logm, SR2, SR2>([](const SR2 & g, const SR2 & s)
                                             { return dlogm(s, g); });
  add_gradient_rule<tensors::Sqrtm, SR2, SR2>([](const SR2 & g, const SR2 & s)
                                              { return dsqrtm(s, g); });
  add_gradient_rule<tensors::Powm, SR2, SR2, double>(
      [](const SR2 & g, const SR2 & s, double p) { return dpowm(s, p, g); }, nullptr);
  add_gradient_rule<tensors::Powm, SR2, SR2, Scalar>(
      [](const SR2 & g, const SR2 & s, const Scalar & p) { return dpowm(s, p, g); },
      [](const SR2 & g, const SR2 & s, const Scalar & p)
      {
        return evaluate<Scalar>(
            "powm",
            [](const auto & h, const auto & a, const auto & n)
            { return inner(h, sym(full(logm(a)) * full(powm(a, n)))); },
            g,
            s,
            p);
      });
  return true;
}();
} // namespace neml2::gradients
