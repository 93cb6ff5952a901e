// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/gradients/cofactors.h"
#include "neml2/tensors/invariants-inl.h"
#include "neml2/math/where.h"

/// Derivative rules of invariants.
namespace neml2::gradients
{
/// dev(s) of one tensor or a batch, exact where the normal components are close.
template <class S>
NEML2_INLINE auto
exact_deviator(const S & s)
{
  if constexpr (core::is_tensor<S>)
    return SR2(composed::dev_of_differences(s));
  else
    return kernels::dev_of_differences(s);
}

inline const bool has_invariant_rules = []
{
  add_gradient_rule<tensors::Hydrostatic, Scalar, SR2>(
      [](const Scalar & g, const SR2 &) { return SR2::identity(g.options()) * (g * (1.0 / 3.0)); });
  add_gradient_rule<tensors::I2, Scalar, SR2>(
      [](const Scalar & g, const SR2 & s)
      {
        return evaluate<SR2>(
            "I2", [](const auto & h, const auto & a) { return (vol(a) * 3.0 - a) * h; }, g, s);
      });
  add_gradient_rule<tensors::J2, Scalar, SR2>(
      [](const Scalar & g, const SR2 & s)
      {
        return evaluate<SR2>(
            "J2", [](const auto & h, const auto & a) { return dev(a) * h; }, g, s);
      });
  add_gradient_rule<tensors::J3, Scalar, SR2>(
      [](const Scalar & g, const SR2 & s)
      {
        return evaluate<SR2>(
            "J3",
            [](const auto & h, const auto & a) { return dev(sym(cofactors(full(dev(a))))) * h; },
            g,
            s);
      });
  // √(3/2) d / |d|; 0 where |d| is 0
  add_gradient_rule<tensors::VonMises, Scalar, SR2>(
      [](const Scalar & g, const SR2 & s)
      {
        return evaluate<SR2>(
            "von_mises",
            [](const auto & h, const auto & a)
            {
              const auto d = exact_deviator(a);
              const auto n = norm(d);
              const auto is_zero = n <= 0.0;
              return d * (where(is_zero, 0.0 * n, h * kernels::sqrt_of_3_halves) /
                          where(is_zero, n + 1.0, n));
            },
            g,
            s);
      });
  // (I / 3 - 3/2 p d / q²) / q with the hydrostatic stress p, the von Mises stress q and the deviator d
  add_gradient_rule<tensors::Triaxiality, Scalar, SR2>(
      [](const Scalar & g, const SR2 & s)
      {
        return evaluate<SR2>(
            "triaxiality",
            [](const auto & h, const auto & a, const auto & identity)
            {
              const auto q = von_mises(a);
              return (identity * (1.0 / 3.0) - dev(a) * (hydrostatic(a) * 1.5 / (q * q))) * (h / q);
            },
            g,
            s,
            SR2::identity(g.options()));
      });
  // The gradient with respect to the principal values is orthogonal to the axis 111 and to the deviator, and has the length 1 / |d|
  add_gradient_rule<tensors::LodeAngle, Scalar, SR2>(
      [](const Scalar & g, const SR2 & s)
      {
        return evaluate<SR2>(
            "lode_angle",
            [](const auto & h, const auto & a)
            {
              const auto e = eigh(a);
              const auto n = norm(dev(a));
              const auto is_zero = n <= 0.0;
              const auto safe = where(is_zero, n + 1.0, n);
              const auto across = cross(e.first, e.first * 0.0 + 1.0) / safe;
              return ieigh(across, e.second) *
                     (where(is_zero, 0.0 * n, h * 0.57735026918962576451) / safe);
            },
            g,
            s);
      });
  return true;
}();
} // namespace neml2::gradients
