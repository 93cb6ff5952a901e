// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/gradient.h"
#include "neml2/math/newton.h"
#include "neml2/tensors/tensors.h"

#include <cmath>

/**
 * A generalized standard material: its free energy and its dissipation potential. All other functions are derivatives of these two.
 * The energy has Hooke's elasticity, kinematic hardening (Prager) and isotropic hardening (Voce), the dissipation potential is Norton's.
 * Source: Halphen and Nguyen (1975), Journal de mécanique 14, 39-63; Lemaitre and Chaboche (1990), Mechanics of Solid Materials, Cambridge
 * University Press.
 */
namespace standard_material
{
using namespace neml2;

// begin potentials
/// Free energy per volume of the strain, the plastic strain and the accumulated plastic strain p.
constexpr auto energy =
    [](const auto & strain, const auto & plastic, const auto & p, const auto & material)
{
  const auto & [G, kappa, yield, Q, b, C, K, n] = material;
  const auto change = tr(strain);
  const auto elastic = 0.5 * kappa * change * change + G * norm_sq(dev(strain) - plastic);
  return elastic + C / 3.0 * norm_sq(plastic) + Q * (p + (exp(-b * p) - 1.0) / b);
};

/// Dissipation potential of the forces on the plastic strain and on p: a power of the overstress.
constexpr auto dissipation_potential =
    [](const auto & force, const auto & resistance, const auto & material)
{
  const auto & [G, kappa, yield, Q, b, C, K, n] = material;
  const auto overstress = macaulay(std::sqrt(1.5) * norm(dev(force)) + resistance - yield);
  return K / (n + 1.0) * pow(overstress / K, n + 1.0);
};
// end potentials

// begin update
/// State (plastic strain, p) after a time dt with these forces: an implicit step along the gradient of the dissipation potential.
constexpr auto new_state =
    [](const auto & forces, const auto & old, const auto & material, const auto & dt)
{
  const auto & [force, resistance] = forces;
  const auto & [plastic, p] = old;
  const auto [rate, rate_of_p] = gradient<0, 1>(dissipation_potential, force, resistance, material);
  return std::tuple(plastic + dt * rate, p + dt * rate_of_p);
};

/// The forces of a state: minus the gradient of the energy.
constexpr auto forces_of = [](const auto & strain, const auto & state, const auto & material)
{
  const auto & [plastic, p] = state;
  const auto [by_plastic, by_p] = gradient<1, 2>(energy, strain, plastic, p, material);
  return std::tuple(-by_plastic, -by_p);
};

/// The equations at the end of a step: the forces lead to a state, and must be the forces of this state.
constexpr auto equations = [](const auto & forces,
                              const auto & strain,
                              const auto & old,
                              const auto & material,
                              const auto & dt)
{
  const auto yield = std::get<2>(material);
  const auto found = forces_of(strain, new_state(forces, old, material, dt), material);
  return std::tuple((std::get<0>(forces) - std::get<0>(found)) / yield,
                    (std::get<1>(forces) - std::get<1>(found)) / yield);
};

/// Forces whose overstress is close to the overstress of the solution, and never below it, however large n is.
constexpr auto guess = [](const auto & trial, const auto & material, const auto & dt)
{
  const auto & [G, kappa, yield, Q, b, C, K, n] = material;
  const auto & [force, resistance] = trial;
  const auto mises = std::sqrt(1.5) * norm(force);
  const auto over = macaulay(mises + resistance - yield);
  const auto less = minimum(over, K * pow(over / ((3.0 * G + C) * dt), 1.0 / n));
  return std::tuple(where(over > 0.0, 1.0 - (over - less) / mises, 1.0) * force, resistance);
};

/// One point: stress and new state from the strain, the old state, the material (G, bulk modulus, yield stress, Q, b, C, K, n) and the
/// time step.
constexpr auto update =
    [](const auto & strain, const auto & old, const auto & material, const auto & dt)
{
  const auto start = guess(forces_of(strain, old, material), material, dt);
  const auto forces = newton(equations, start, strain, old, material, dt);
  const auto state = new_state(forces, old, material, dt);
  const auto & [plastic, p] = state;
  return std::tuple(gradient<0>(energy, strain, plastic, p, material), state);
};
// end update
} // namespace standard_material
