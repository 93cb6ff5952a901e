// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/gradients/rules.h"
#include "neml2/tensors/stiffness-inl.h"

namespace neml2::gradients
{
inline const bool has_stiffness_rules = []
{
  add_gradient_rule<tensors::SSR4FillC1C2C3, SSR4, Scalar, Scalar, Scalar>(
      [](const SSR4 & g, const auto &...) { return inner(g, SSR4::identity_C1(g.options())); },
      [](const SSR4 & g, const auto &...) { return inner(g, SSR4::identity_C2(g.options())); },
      [](const SSR4 & g, const auto &...) { return inner(g, SSR4::identity_C3(g.options())); });
  // C1 = (1 - ν) p, C2 = ν p, C3 = E / (1 + ν), p = E q, q = 1 / ((1 + ν) (1 - 2ν)),
  // ∂q/∂ν = (1 + 4ν) q²
  add_gradient_rule<tensors::SSR4IsotropicENu, SSR4, Scalar, Scalar>(
      [](const SSR4 & g, const Scalar &, const Scalar & nu)
      {
        return evaluate<Scalar>(
            "SSR4::isotropic_E_nu",
            [](const auto & h, const auto & v, const auto & I1, const auto & I2, const auto & I3)
            {
              const auto by_p = (1.0 - v) * inner(h, I1) + v * inner(h, I2);
              return (by_p / (1.0 - 2.0 * v) + inner(h, I3)) / (1.0 + v);
            },
            g,
            nu,
            SSR4::identity_C1(g.options()),
            SSR4::identity_C2(g.options()),
            SSR4::identity_C3(g.options()));
      },
      [](const SSR4 & g, const Scalar & E, const Scalar & nu)
      {
        return evaluate<Scalar>(
            "SSR4::isotropic_E_nu",
            [](const auto & h,
               const auto & e,
               const auto & v,
               const auto & I1,
               const auto & I2,
               const auto & I3)
            {
              const auto d = 1.0 + v, q = 1.0 / (d * (1.0 - 2.0 * v));
              const auto g1 = inner(h, I1), g2 = inner(h, I2), g3 = inner(h, I3);
              const auto by_p = (1.0 - v) * g1 + v * g2;
              return e * ((g2 - g1 + by_p * (1.0 + 4.0 * v) * q) * q - g3 / (d * d));
            },
            g,
            E,
            nu,
            SSR4::identity_C1(g.options()),
            SSR4::identity_C2(g.options()),
            SSR4::identity_C3(g.options()));
      });
  add_gradient_rule<tensors::SSR4IsotropicKG, SSR4, Scalar, Scalar>(
      [](const SSR4 & g, const auto &...) { return inner(g, SSR4::identity(g.options())); },
      [](const SSR4 & g, const auto &...)
      { return inner(g, SSR4::identity_dev(g.options())) * 2.0; });
  add_gradient_rule<tensors::SSR4IsotropicLambdaMu, SSR4, Scalar, Scalar>(
      [](const SSR4 & g, const auto &...) { return inner(g, SSR4::identity(g.options())); },
      [](const SSR4 & g, const auto &...)
      { return inner(g, SSR4::identity_sym(g.options())) * 2.0; });
  add_gradient_rule<tensors::SSR4Cubic, SSR4, Scalar, Scalar, Scalar>(
      [](const SSR4 & g, const auto &...) { return inner(g, SSR4::identity_C1(g.options())); },
      [](const SSR4 & g, const auto &...) { return inner(g, SSR4::identity_C2(g.options())); },
      [](const SSR4 & g, const auto &...)
      { return inner(g, SSR4::identity_C3(g.options())) * 2.0; });
  return true;
}();
} // namespace neml2::gradients
