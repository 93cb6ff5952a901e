// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/gradients/R2.h"
#include "neml2/gradients/SR2.h"
#include "neml2/tensors/invariants.h"
#include "neml2/tensors/kinematics.h"
#include "neml2/tensors/matrix_functions.h"
#include "neml2/tensors/spectral.h"

/// Derivative rules of what is composed of eigenvalues: matrix functions, invariants, kinematics.
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

// The derivative of f at s is symmetric, that at A transposed that at Aᵀ. Source: Higham (2008), Functions
// of Matrices, section 3.2.
inline const bool has_matrix_function_rules = []
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
  add_gradient_rule<tensors::Expm, R2, R2>([](const R2 & g, const R2 & A)
                                           { return dexpm(transpose(A), g); });
  add_gradient_rule<tensors::Logm, R2, R2>([](const R2 & g, const R2 & A)
                                           { return dlogm(transpose(A), g); });
  add_gradient_rule<tensors::Sqrtm, R2, R2>([](const R2 & g, const R2 & A)
                                            { return dsqrtm(transpose(A), g); });
  return true;
}();

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
  // √(3/2) d / |d|, and 0 where |d| is
  add_gradient_rule<tensors::VonMises, Scalar, SR2>(
      [](const Scalar & g, const SR2 & s)
      {
        return evaluate<SR2>(
            "von_mises",
            [](const auto & h, const auto & a)
            {
              const auto d = dev(a);
              const auto n = norm(d);
              const auto is_zero = n <= 0.0;
              return d * (where(is_zero, 0.0 * n, h * 1.2247448713915890491) /
                          where(is_zero, n + 1.0, n));
            },
            g,
            s);
      });
  // By the principal values: across the axis 111 and the deviator, of length 1 / |d|
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

inline const bool has_kinematics_rules = []
{
  // dR = R skew(ω), (tr(U) I - U) ω = skew_adjoint(Rᵀ dF)
  add_gradient_rule<tensors::PolarRotation, R2, R2>(
      [](const R2 & g, const R2 & F)
      {
        return evaluate<R2>(
            "polar_rotation",
            [](const auto & h, const auto & f)
            {
              const auto R = polar_rotation(f), Rt = transpose(R);
              const auto U = sym(Rt * f);
              return R * skew(full(inv(vol(U) * 3.0 - U)) * skew_adjoint(Rt * h));
            },
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
