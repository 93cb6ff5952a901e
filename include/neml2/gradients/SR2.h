// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/gradients/arithmetic.h"
#include "neml2/gradients/cofactors.h"
#include "neml2/gradients/rotation.h"
#include "neml2/tensors/SR2-inl.h"

namespace neml2::gradients
{
inline const bool has_SR2_rules = []
{
  add_scalar_rules<SR2>();
  add_contraction_rules<SR2>();
  add_gradient_rule<tensors::Tr, Scalar, SR2>([](const Scalar & g, const SR2 &)
                                              { return SR2::identity(g.options()) * g; });
  add_gradient_rule<tensors::Vol, SR2, SR2>([](const SR2 & g, const SR2 &) { return vol(g); });
  add_gradient_rule<tensors::Dev, SR2, SR2>([](const SR2 & g, const SR2 &) { return dev(g); });
  add_gradient_rule<tensors::Full, R2, SR2>([](const R2 & g, const SR2 &) { return sym(g); });
  add_gradient_rule<tensors::Sym, SR2, R2>([](const SR2 & g, const R2 &) { return full(g); });
  // As for R2, the gradients are cof s times g, and -s^-1 g s^-1
  add_gradient_rule<tensors::Det, Scalar, SR2>(
      [](const Scalar & g, const SR2 & s)
      {
        return evaluate<SR2>(
            "det",
            [](const auto & h, const auto & a) { return sym(cofactors(full(a))) * h; },
            g,
            s);
      });
  add_gradient_rule<tensors::Inv, SR2, SR2>(
      [](const SR2 & g, const SR2 & s)
      {
        return evaluate<SR2>(
            "inv", [](const auto & h, const auto & a) { return -rotate(h, full(inv(a))); }, g, s);
      });
  add_gradient_rule<tensors::Outer, SSR4, SR2, SR2>(
      [](const SSR4 & g, const SR2 &, const SR2 & b) { return g * b; },
      [](const SSR4 & g, const SR2 & a, const SR2 &) { return a * g; });
  // The gradient with respect to R is 2 g R s, because g and s are symmetric
  add_gradient_rule<tensors::Rotate, SR2, SR2, R2>(
      [](const SR2 & g, const SR2 &, const R2 & r) { return rotate(g, transpose(r)); },
      [](const SR2 & g, const SR2 & s, const R2 & r)
      {
        return evaluate<R2>(
            "rotate",
            [](const auto & h, const auto & a, const auto & x)
            { return full(h) * (x * full(a)) * 2.0; },
            g,
            s,
            r);
      });
  add_gradient_rule<tensors::Rotate, SR2, SR2, Rot>(
      [](const SR2 & g, const SR2 &, const Rot & r) { return rotate(g, inv(r)); },
      [](const SR2 & g, const SR2 & s, const Rot & r)
      {
        return evaluate<Vec>(
            "rotate",
            [](const auto & h, const auto & a, const auto & x)
            { return GradientByParameters()(full(h) * (euler_rodrigues(x) * full(a)) * 2.0, x); },
            g,
            s,
            r);
      });
  return true;
}();
} // namespace neml2::gradients
