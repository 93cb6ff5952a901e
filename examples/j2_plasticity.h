// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/tensors.h"

#include <cmath>

/// Von Mises plasticity with linear isotropic hardening, by radial return.
/// Source: Simo and Hughes (1998), Computational Inelasticity, Springer, section 3.3.
namespace j2_plasticity
{
using namespace neml2;

// begin radial_return
/// One point: stress, new plastic strain and new equivalent plastic strain α from the strain, the old plastic strain and the old α.
constexpr auto radial_return = [](const auto & strain,
                                  const auto & plastic_strain,
                                  const auto & alpha,
                                  const auto & E,
                                  const auto & nu,
                                  const auto & yield_stress,
                                  const auto & modulus)
{
  const auto mu = E / (2.0 * (1.0 + nu)), kappa = E / (3.0 * (1.0 - 2.0 * nu));
  const auto trial = 2.0 * mu * dev(strain - plastic_strain);
  const auto mises = std::sqrt(1.5) * norm(trial);
  const auto excess = maximum(mises - (yield_stress + modulus * alpha), 0.0);
  const auto multiplier = excess / (3.0 * mu + modulus);
  const auto increment = trial * (1.5 * multiplier / maximum(mises, 1e-12));
  return std::tuple(3.0 * kappa * vol(strain) + trial - 2.0 * mu * increment,
                    plastic_strain + increment,
                    alpha + multiplier);
};
// end radial_return
} // namespace j2_plasticity
