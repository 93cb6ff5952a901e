// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/gradients/arithmetic.h"
#include "neml2/gradients/cofactors.h"
#include "neml2/gradients/rotation.h"
#include "neml2/tensors/R2-inl.h"

namespace neml2::gradients
{
inline const bool has_R2_rules = []
{
  add_scalar_rules<R2>();
  add_contraction_rules<R2>();
  add_gradient_rule<tensors::Tr, Scalar, R2>([](const Scalar & g, const R2 &)
                                             { return R2::identity(g.options()) * g; });
  add_gradient_rule<tensors::Vol, R2, R2>([](const R2 & g, const R2 &) { return vol(g); });
  add_gradient_rule<tensors::Dev, R2, R2>([](const R2 & g, const R2 &) { return dev(g); });
  // ∂det A / ∂A = cof A; source: Holzapfel (2000), Nonlinear Solid Mechanics, eq. 1.241
  add_gradient_rule<tensors::Det, Scalar, R2>(
      [](const Scalar & g, const R2 & A)
      {
        return evaluate<R2>(
            "det", [](const auto & h, const auto & a) { return cofactors(a) * h; }, g, A);
      });
  // d(A^-1) = -A^-1 dA A^-1; source: Holzapfel (2000), eq. 1.249
  add_gradient_rule<tensors::Inv, R2, R2>(
      [](const R2 & g, const R2 & A)
      {
        return evaluate<R2>(
            "inv",
            [](const auto & h, const auto & a)
            {
              const auto x = transpose(inv(a));
              return -(x * h * x);
            },
            g,
            A);
      });
  add_gradient_rule<tensors::R2TimesR2, R2, R2, R2>(
      [](const R2 & g, const R2 &, const R2 & b) { return g * transpose(b); },
      [](const R2 & g, const R2 & a, const R2 &) { return transpose(a) * g; });
  add_gradient_rule<tensors::R2TimesVec, Vec, R2, Vec>(
      [](const Vec & g, const R2 &, const Vec & v) { return outer(g, v); },
      [](const Vec & g, const R2 & a, const Vec &) { return transpose(a) * g; });
  add_gradient_rule<tensors::Rotate, R2, R2, R2>(
      [](const R2 & g, const R2 &, const R2 & r) { return rotate(g, transpose(r)); },
      [](const R2 & g, const R2 & a, const R2 & r)
      { return evaluate<R2>("rotate", GradientByRotation(), g, a, r); });
  add_gradient_rule<tensors::Rotate, R2, R2, Rot>(
      [](const R2 & g, const R2 &, const Rot & r) { return rotate(g, inv(r)); },
      [](const R2 & g, const R2 & a, const Rot & r)
      {
        return evaluate<Vec>(
            "rotate",
            [](const auto & h, const auto & b, const auto & x)
            { return GradientByParameters()(GradientByRotation()(h, b, euler_rodrigues(x)), x); },
            g,
            a,
            r);
      });
  add_gradient_rule<tensors::Skew, R2, Vec>([](const R2 & g, const Vec &)
                                            { return skew_adjoint(g); });
  add_gradient_rule<SkewAdjoint, Vec, R2>([](const Vec & g, const R2 &) { return skew(g); });
  return true;
}();
} // namespace neml2::gradients
