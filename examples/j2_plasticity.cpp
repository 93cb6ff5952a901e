// SPDX-License-Identifier: MIT
// Von Mises plasticity with linear isotropic hardening, written for one point and run over a batch:
// radial return (Simo and Hughes, Computational Inelasticity, 1998, section 3.3), its consistent tangent
// from the same formula, and Newton's method, with that tangent, for thin tubes that are twisted by a
// constant torque while they are pulled and pushed: five stresses and one strain are prescribed.
#include "j2_plasticity.h"

#include "neml2/math/jacobian.h"

#include <ATen/ATen.h>

#include <cstdio>
#include <fstream>
#include <string>

using namespace neml2;
using j2_plasticity::radial_return;

constexpr auto stress_of = [](const auto &... a) { return std::get<0>(radial_return(a...)); };

/// Three materials, and four tubes of each, pulled to different strains. Stresses in MPa.
struct Tubes
{
  Scalar E = Scalar::create({{200e3}, {110e3}, {70e3}});
  Scalar nu = Scalar::create({{0.3}, {0.34}, {0.33}});
  Scalar yield_stress = Scalar::create({{250}, {200}, {95}});
  Scalar hardening_modulus = Scalar::create({{2000}, {10000}, {700}});
  Scalar amplitude = Scalar::create({0.0025, 0.005, 0.0075, 0.01}); // of the axial strain
};

struct State
{
  SR2 strain, stress, plastic_strain;
  Scalar alpha;
};

/// The strain with a given axial component at which all other stresses are the prescribed ones.
SR2
solve(const Tubes & tubes,
      const Scalar & axial,
      const SR2 & prescribed,
      const State & old,
      bool print)
{
  SR2 strain = old.strain.clone();
  strain.select(-1, 0).copy_(axial);
  for (int iteration = 0; iteration < 20; iteration++)
  {
    const auto [stress, tangent] = value_and_jacobian<0>(stress_of,
                                                         strain,
                                                         old.plastic_strain,
                                                         old.alpha,
                                                         tubes.E,
                                                         tubes.nu,
                                                         tubes.yield_stress,
                                                         tubes.hardening_modulus);
    const at::Tensor residual = (stress - prescribed).slice(-1, 1);
    const double error = residual.abs().max().item<double>();
    if (print)
      std::printf("%5d   %8.1e\n", iteration, error);
    if (error < 1e-9)
      break;
    const at::Tensor K = tangent.slice(-2, 1).slice(-1, 1);
    strain.slice(-1, 1).sub_(at::linalg_solve(K, residual.unsqueeze(-1)).squeeze(-1));
  }
  return strain;
}

int
main(int count, char ** arguments)
{
  set_default_dtype(kFloat64);
  const Tubes tubes;
  const TensorShape batch{3, 4}; // materials, tubes
  const auto zero = Scalar::zeros();
  State state{SR2::zeros(batch), SR2::zeros(batch), SR2::zeros(batch), Scalar::zeros(batch)};
  std::string table;
  std::ofstream curve; // of the tubes with the largest strain, for a plot
  if (count > 1)
    curve.open(arguments[1]);

  const int steps = 40; // tension, compression, tension
  for (int step = 1; step <= steps; step++)
  {
    const double t = 4.0 * step / steps, level = t < 1 ? t : t < 3 ? 2 - t : t - 4;
    const Scalar axial = tubes.amplitude * level;
    const auto prescribed = SR2::fill(zero, zero, zero, zero, zero, 0.3 * tubes.yield_stress);
    const bool print = step == 10;
    if (print)
      std::printf("Newton's method in step %d: largest error of the prescribed stresses, MPa\n",
                  step);
    state.strain = solve(tubes, axial, prescribed, state, print);
    std::tie(state.stress, state.plastic_strain, state.alpha) = vmap(radial_return,
                                                                     state.strain,
                                                                     state.plastic_strain,
                                                                     state.alpha,
                                                                     tubes.E,
                                                                     tubes.nu,
                                                                     tubes.yield_stress,
                                                                     tubes.hardening_modulus);
    const auto furthest = [](const at::Tensor & x, int material)
    { return x[material][3].item<double>(); };
    const auto tension = state.stress(0);
    const auto twist = state.strain(0, 1);
    if (step % 5 == 0)
    {
      char row[80];
      std::snprintf(row,
                    sizeof(row),
                    "%7.2f   %8.2f %6.3f  %8.2f %6.3f  %8.2f %6.3f\n",
                    100 * axial[3].item<double>(),
                    furthest(tension, 0),
                    100 * furthest(twist, 0),
                    furthest(tension, 1),
                    100 * furthest(twist, 1),
                    furthest(tension, 2),
                    100 * furthest(twist, 2));
      table += row;
    }
    if (curve.is_open())
    {
      curve << axial[3].item<double>();
      for (int m = 0; m < 3; m++)
        curve << ' ' << furthest(tension, m) << ' ' << furthest(twist, m);
      curve << '\n';
    }
  }
  std::printf("\nAxial stress in MPa and shear strain in %% of the tubes pulled furthest\n"
              "strain %%            steel           copper        aluminium\n%s",
              table.c_str());
}
