// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/gradients/rotation.h"
#include "neml2/tensors/kinematics-inl.h"
#include "neml2/tensors/matrix_functions.h"

/// Derivative rules of the kinematics of finite deformation.
namespace neml2::gradients
{
/// The gradient with respect to F, from the gradient g with respect to R, which is the rotation of F.
template <class G, class A>
NEML2_INLINE auto
by_rotated(const G & g, const A & F, const A & R)
{
  const auto Rt = transpose(R);
  const auto U = sym(Rt * F);
  return R * skew(full(inv(vol(U) * 3.0 - U)) * skew_adjoint(Rt * g));
}

inline const bool has_kinematics_rules = []
{
  // dR = R skew(ω), where (tr(U) I - U) ω = skew_adjoint(Rᵀ dF) and U = Rᵀ F
  add_gradient_rule<tensors::PolarRotation, R2, R2>(
      [](const R2 & g, const R2 & F)
      {
        return evaluate<R2>(
            "polar_rotation",
            [](const auto & h, const auto & f) { return by_rotated(h, f, polar_rotation(f)); },
            g,
            F);
      });
  add_gradient_rule<tensors::NearestRotation, R2, R2>(
      [](const R2 & g, const R2 & F)
      {
        return evaluate<R2>(
            "nearest_rotation",
            [](const auto & h, const auto & f) { return by_rotated(h, f, nearest_rotation(f)); },
            g,
            F);
      });
  add_gradient_rule<tensors::RightCauchyGreen, SR2, R2>(
      [](const SR2 & g, const R2 & F)
      {
        return evaluate<R2>(
            "right_cauchy_green",
            [](const auto & h, const auto & f) { return f * full(h) * 2.0; },
            g,
            F);
      });
  add_gradient_rule<tensors::LeftCauchyGreen, SR2, R2>(
      [](const SR2 & g, const R2 & F)
      {
        return evaluate<R2>(
            "left_cauchy_green",
            [](const auto & h, const auto & f) { return full(h) * f * 2.0; },
            g,
            F);
      });
  add_gradient_rule<tensors::GreenLagrange, SR2, R2>(
      [](const SR2 & g, const R2 & F)
      {
        return evaluate<R2>(
            "green_lagrange", [](const auto & h, const auto & f) { return f * full(h); }, g, F);
      });
  add_gradient_rule<tensors::HenckyStrain, SR2, R2>(
      [](const SR2 & g, const R2 & F)
      {
        return evaluate<R2>(
            "hencky_strain",
            [](const auto & h, const auto & f)
            { return f * full(dlogm(right_cauchy_green(f), h)); },
            g,
            F);
      });
  return true;
}();
} // namespace neml2::gradients
