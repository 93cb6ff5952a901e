// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/gradients/arithmetic.h"
#include "neml2/gradients/rotation.h"
#include "neml2/tensors/Vec-inl.h"

namespace neml2::gradients
{
inline const bool has_Vec_rules = []
{
  add_scalar_rules<Vec>();
  add_contraction_rules<Vec>();
  add_gradient_rule<tensors::Cross, Vec, Vec, Vec>(
      [](const Vec & g, const Vec &, const Vec & b) { return cross(b, g); },
      [](const Vec & g, const Vec & a, const Vec &) { return cross(g, a); });
  add_gradient_rule<tensors::Outer, R2, Vec, Vec>(
      [](const R2 & g, const Vec &, const Vec & b) { return g * b; },
      [](const R2 & g, const Vec & a, const Vec &) { return transpose(g) * a; });
  add_gradient_rule<tensors::SelfOuter, SR2, Vec>(
      [](const SR2 & g, const Vec & a)
      {
        return evaluate<Vec>(
            "self_outer", [](const auto & h, const auto & v) { return full(h) * v * 2.0; }, g, a);
      });
  add_gradient_rule<tensors::Rotate, Vec, Vec, Rot>(
      [](const Vec & g, const Vec &, const Rot & r) { return rotate(g, inv(r)); },
      [](const Vec & g, const Vec & a, const Rot & r)
      {
        return evaluate<Vec>(
            "rotate",
            [](const auto & h, const auto & v, const auto & x)
            { return GradientByParameters()(outer(h, v), x); },
            g,
            a,
            r);
      });
  return true;
}();
} // namespace neml2::gradients
