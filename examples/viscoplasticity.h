// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/newton.h"
#include "neml2/tensors/tensors.h"

#include <cmath>
#include <limits>

/**
 * Viscoplasticity with isotropic hardening (Voce), kinematic hardening (Armstrong and Frederick) and a power law for the
 * rate (Norton): a model of Chaboche's, by implicit Euler. Source: Lemaitre and Chaboche (1990), Mechanics of Solid Materials,
 * Cambridge University Press, sections 5.4 and 6.4.
 */
namespace viscoplasticity
{
using namespace neml2;
constexpr double infinity = std::numeric_limits<double>::infinity();

// begin equations
/// The equations at the end of a step for the deviator s of the stress, the backstress X and the overstress `over`. The plastic strain dp
/// follows from the overstress by the power law. In units of the yield stress all equations have equal weight.
constexpr auto equations = [](const auto & unknowns,
                              const auto & trial,
                              const auto & old_X,
                              const auto & old_p,
                              const auto & material,
                              const auto & dt)
{
  const auto & [s, X, over] = unknowns;
  const auto & [G, kappa, yield, Q, b, C, gamma, K, n] = material;
  const auto stress = s - X;
  const auto mises = std::sqrt(1.5) * norm(stress);
  const auto direction = stress * (1.5 / mises);
  const auto dp = dt * pow(over / K, n);
  const auto hardening = Q * (1.0 - exp(-b * (old_p + dp)));
  return std::tuple((s - trial + 2.0 * G * dp * direction) / yield,
                    (X - old_X - 2.0 / 3.0 * C * dp * direction + gamma * dp * X) / yield,
                    (mises - yield - hardening - over) / yield);
};
// end equations

// begin update
/// One point: stress and new state from the strain, the old state (plastic strain, backstress, accumulated plastic strain),
/// the material (G, bulk modulus, yield stress, Q, b, C, γ, K, n) and the time step.
constexpr auto update =
    [](const auto & strain, const auto & state, const auto & material, const auto & dt)
{
  const auto & [plastic, old_X, old_p] = state;
  const auto & [G, kappa, yield, Q, b, C, gamma, K, n] = material;
  const auto trial = 2.0 * G * dev(strain - plastic);
  const auto stress = trial - old_X;
  const auto mises = std::sqrt(1.5) * norm(stress);
  const auto beyond = macaulay(mises - yield - Q * (1.0 - exp(-b * old_p)));
  const auto flows = beyond > 0.0;
  // dp is at most beyond / (3 G + C), which bounds the overstress.
  const auto over = minimum(beyond, K * pow(beyond / ((3.0 * G + C) * dt), 1.0 / n));
  const auto guess = trial - 3.0 * G * dt * pow(over / K, n) / mises * stress;
  const auto found = newton(equations,
                            std::tuple(guess, old_X, over),
                            trial,
                            old_X,
                            old_p,
                            material,
                            dt,
                            NewtonOptions().bounds_of(2, 0.0, infinity));
  const auto s = where(flows, std::get<0>(found), trial);
  return std::tuple(3.0 * kappa * vol(strain) + s,
                    std::tuple(plastic + (trial - s) / (2.0 * G),
                               where(flows, std::get<1>(found), old_X),
                               old_p + where(flows, dt * pow(std::get<2>(found) / K, n), 0.0)));
};
// end update
} // namespace viscoplasticity
