// SPDX-License-Identifier: MIT
// A plastic model as a system of equations with named unknowns: five points are pulled to different
// strains, and Newton's method solves for the stress and the plastic strain of all points at once.
#include "neml2/neml2.h"

#include <cstdio>
#include <iostream>

using namespace neml2;

int
main()
{
  // begin axes
  LabeledAxis unknowns;
  unknowns.add<SR2>("stress").add<Scalar>({"internal", "plastic_strain"});
  unknowns.setup_layout();

  LabeledAxis equations;
  equations.add<SR2>("elasticity").add<Scalar>("yield").setup_layout();
  // end axes
  std::cout << "unknowns\n" << picture(unknowns) << "equations\n" << picture(equations);

  const auto C = SSR4::isotropic_E_nu(200e3, 0.3); // MPa
  const auto S = C.inverse();
  const double yield_stress = 250, saturation = 150, rate = 200; // MPa, MPa, 1
  const auto strain = SR2::fill(1, -0.4, -0.4) * Scalar::create({0.5e-3, 1e-3, 2e-3, 4e-3, 8e-3});

  // begin residual
  const LabeledVariables<SR2, Scalar> variables(unknowns,
                                                {"stress", {"internal", "plastic_strain"}});
  const LabeledVariables<SR2, Scalar> residuals(equations, {"elasticity", "yield"});

  const auto system =
      [=](const auto & x, const auto & compliance, const auto & total, const auto & trial)
  {
    const auto & [stress, ep] = x;
    const auto mises = von_mises(stress);
    const auto flow = 1.5 * dev(stress) / mises;
    const auto excess = (mises - yield_stress - saturation * (1.0 - exp(-rate * ep))) / 200e3;
    return std::tuple(compliance * stress + flow * ep - total,
                      where(trial > yield_stress, excess, ep));
  };
  // end residual

  const SR2 elastic = C * strain;
  const Scalar trial = von_mises(elastic);
  auto x = LabeledVector::assemble(unknowns, {{"stress", elastic}});
  for (int i = 0;; i++)
  {
    // begin newton
    const auto [r, J] =
        residuals.value_and_jacobian<0>(variables, system, variables.of(x), S, strain, trial);
    const auto size = r.tensor().abs().max().item<double>();
    std::printf("iteration %d: ", i);
    if (size < 1e-12)
      break;
    std::printf("largest residual %.0e\n", size);
    x = LabeledVector(x.tensor() - linalg::solve(J, r), {&unknowns});
    // end newton
  }

  std::printf("converged\n");

  const auto [stress, ep] = variables.of(x);
  std::printf("  strain   stress/00   plastic strain\n");
  for (Size p = 0; p < 5; p++)
    std::printf("%8.4f  %8.2f MPa  %.6f\n",
                strain(0)[p].item<double>(),
                stress(0)[p].item<double>(),
                ep[p].item<double>());
}
