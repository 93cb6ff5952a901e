// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/gradients/arithmetic.h"
#include "neml2/gradients/mandel_rotation.h"
#include "neml2/gradients/rotation.h"
#include "neml2/tensors/SSR4-inl.h"

namespace neml2::gradients
{
inline const bool has_SSR4_rules = []
{
  add_scalar_rules<SSR4>();
  add_contraction_rules<SSR4>();
  // ∂det C / ∂C = det C C^-T, where C has an inverse
  add_gradient_rule<tensors::Det, Scalar, SSR4>(
      [](const Scalar & g, const SSR4 & C)
      {
        return evaluate<SSR4>(
            "det",
            [](const auto & h, const auto & a) { return transpose_major(inv(a)) * (det(a) * h); },
            g,
            C);
      });
  // The rule of R2, which also holds for matrices of Mandel components
  add_gradient_rule<tensors::Inv, SSR4, SSR4>(
      [](const SSR4 & g, const SSR4 & C)
      {
        return evaluate<SSR4>(
            "inv",
            [](const auto & h, const auto & a)
            {
              const auto x = transpose_major(inv(a));
              return -(x * h * x);
            },
            g,
            C);
      });
  add_gradient_rule<tensors::SSR4TimesSR2, SR2, SSR4, SR2>(
      [](const SR2 & g, const SSR4 &, const SR2 & e) { return outer(g, e); },
      [](const SR2 & g, const SSR4 & C, const SR2 &) { return g * C; });
  add_gradient_rule<tensors::SSR4TimesR2, SR2, SSR4, R2>(
      [](const SR2 & g, const SSR4 &, const R2 & e) { return outer(g, sym(e)); },
      [](const SR2 & g, const SSR4 & C, const R2 &) { return full(g * C); });
  add_gradient_rule<tensors::SR2TimesSSR4, SR2, SR2, SSR4>(
      [](const SR2 & g, const SR2 &, const SSR4 & C) { return C * g; },
      [](const SR2 & g, const SR2 & e, const SSR4 &) { return outer(e, g); });
  add_gradient_rule<tensors::SSR4TimesSSR4, SSR4, SSR4, SSR4>(
      [](const SSR4 & g, const SSR4 &, const SSR4 & b) { return g * transpose_major(b); },
      [](const SSR4 & g, const SSR4 & a, const SSR4 &) { return transpose_major(a) * g; });
  // The gradient of Q C Qᵀ with respect to Q: g Q Cᵀ + gᵀ Q C
  const auto by_R = [](const SSR4 & g, const SSR4 & C, const R2 & R)
  {
    return evaluate<R2>(
        "rotate",
        [](const auto & h, const auto & a, const auto & r)
        {
          const auto Q = mandel_matrix(r);
          return by_matrix(h * (Q * transpose_major(a)) + transpose_major(h) * (Q * a), r);
        },
        g,
        C,
        R);
  };
  add_gradient_rule<tensors::Rotate, SSR4, SSR4, R2>(
      [](const SSR4 & g, const SSR4 &, const R2 & R) { return rotate(g, transpose(R)); }, by_R);
  add_gradient_rule<tensors::Rotate, SSR4, SSR4, Rot>(
      [](const SSR4 & g, const SSR4 &, const Rot & r)
      {
        return rotate(g, transpose(euler_rodrigues(r)));
      }, // a rotation by a matrix, as in the rule above
      [by_R](const SSR4 & g, const SSR4 & C, const Rot & r) {
        return evaluate<Vec>("rotate", GradientByParameters(), by_R(g, C, euler_rodrigues(r)), r);
      });
  return true;
}();
} // namespace neml2::gradients
