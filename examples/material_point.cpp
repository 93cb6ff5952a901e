// SPDX-License-Identifier: MIT
// A material point in four tests under cycles of strain, for many materials at once. Each component has a prescribed strain or a prescribed
// stress. A step is one call for the whole batch, in which newton around the user's update finds the strain. The stresses are compared with
// closed forms, and their derivatives by the hardening modulus, which pass back through all steps, with differences.
//
//     material_point [number of materials, by default 11]
#include "j2_plasticity.h"

#include "neml2/math/newton.h"
#include "neml2/tensors/invariants.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

using namespace neml2;

/// One point: stress and new state from the strain, the old state and the material. Put your own update here.
constexpr auto update = [](const auto & strain, const auto & old, const auto & material)
{
  const auto & [plastic_strain, alpha] = old;
  const auto & [E, nu, yield_stress, modulus] = material;
  const auto [stress, new_plastic_strain, new_alpha] =
      j2_plasticity::radial_return(strain, plastic_strain, alpha, E, nu, yield_stress, modulus);
  return std::tuple(stress, std::tuple(new_plastic_strain, new_alpha));
};

// begin step
/// The equations for the strain at the end of a step. The target of a component is a stress where `is_strain` is 0, otherwise a strain.
constexpr auto equations = [](const auto & strain,
                              const auto & target,
                              const auto & is_strain,
                              const auto & old,
                              const auto & material)
{
  const auto stress = std::get<0>(update(strain, old, material));
  const auto E = std::get<0>(material); // scales errors of stresses to the size of those of strains
  const auto error = [&](int i)
  { return where(is_strain(i) > 0.0, strain(i) - target(i), (stress(i) - target(i)) / E); };
  return std::tuple(error(0), error(1), error(2), error(3), error(4), error(5));
};

/// A step of one point: strain, stress and state at its end, and the number of iterations.
constexpr auto step = [](const auto & strain,
                         const auto & target,
                         const auto & is_strain,
                         const auto & old,
                         const auto & material)
{
  const auto found = newton_report(equations, strain, target, is_strain, old, material);
  const auto [stress, state] = update(found.solution, old, material);
  return std::tuple(found.solution, stress, state, found.iterations);
};
// end step

constexpr double E = 200e3, nu = 0.3, yield_stress = 250, pressure = 100, amplitude = 0.01; // MPa
constexpr int steps = 20; // from one turn of the path to the next

/// A number for each test: (4, 1; ).
Scalar
each(double tension, double pressurized, double biaxial, double shear)
{
  return Scalar::create({{tension}, {pressurized}, {biaxial}, {shear}});
}

struct History
{
  std::vector<at::Tensor> mises; ///< von Mises stress at the turns: (tests, materials)
  double error = 0;              ///< the largest error of a prescribed stress
  double iterations = 0;         ///< the largest number of iterations in a step
};

/// Strain from 0 to the amplitude, to its opposite and back. The tests are tension, tension with the sides under pressure, equal tension
/// in two directions, and shear. The other components are free of stress.
History
run(const Scalar & modulus)
{
  // begin tests
  const SR2 is_strain =
      SR2::fill(each(1, 1, 1, 0), each(0, 0, 1, 0), 0.0, 0.0, 0.0, each(0, 0, 0, 1));
  const SR2 stress_target = -pressure * SR2::fill(0.0, each(0, 1, 0, 0), each(0, 1, 0, 0));
  // end tests
  const auto material = std::tuple(E, nu, yield_stress, modulus);
  const TensorShape batch{4, modulus.size(0)};
  SR2 strain = SR2::zeros(batch), stress;
  auto state = std::tuple(SR2::zeros(batch), Scalar::zeros(batch));
  Scalar iterations;
  History history;
  for (int k = 1; k <= 3 * steps; k++)
  {
    const double t = double(k) / steps, level = t < 1 ? t : t < 2 ? 3 - 2 * t : 2 * t - 5;
    // begin call
    const SR2 target = amplitude * level * is_strain + stress_target;
    std::tie(strain, stress, state, iterations) =
        vmap(step, strain, target, is_strain, state, material);
    // end call
    if (strain.isnan().any().item<bool>())
      throw std::runtime_error("step " + std::to_string(k) +
                               " does not converge: make steps shorter");
    const at::Tensor error = at::Tensor(stress - target).mul(is_strain.eq(0)).abs().max();
    history.error = std::max(history.error, error.item<double>());
    history.iterations = std::max(history.iterations, iterations.max().item<double>());
    if (k % steps == 0)
      history.mises.push_back(von_mises(stress));
  }
  return history;
}

/// The von Mises stress at the turns in closed form, (turns, tests, materials). The strain of a prescribed component is `elastic` times the
/// von Mises stress plus `plastic` times the equivalent plastic strain; after the first turn it changes by twice the amplitude.
at::Tensor
closed_form(const Scalar & modulus)
{
  const Scalar elastic = each(1, 1, 1 - nu, (1 + nu) / std::sqrt(3.0)) / E,
               plastic = each(1, 1, 0.5, std::sqrt(0.75)),
               shift = each(0, pressure, 0, 0) * ((1 - 2 * nu) / E);
  const auto growth = [&](const auto & strain, const auto & size)
  { return modulus * (strain - elastic * size) / (plastic + elastic * modulus); };
  const Scalar first = yield_stress + growth(amplitude + shift, yield_stress),
               second = first + 2 * growth(amplitude, first),
               third = second + 2 * growth(amplitude, second);
  return at::stack({first, second, third});
}

void
check(const char * what, const at::Tensor & a, const at::Tensor & b, double relative)
{
  const double error = ((a - b).abs().max() / b.abs().max()).item<double>();
  std::printf(error < relative ? "%s, to %.0e\n" : "%s: NO, not to %.0e\n", what, relative);
}

int
main(int count, char ** arguments)
{
  set_default_dtype(kFloat64);
  const int n = count > 1 ? std::atoi(arguments[1]) : 11;
  Scalar modulus(at::linspace(1000, 10000, n, at::kDouble));
  const auto start = std::chrono::steady_clock::now();
  const History history = run(modulus);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  std::fprintf(stderr, "%.2e steps of a point per second\n", 3 * steps * 4.0 * n / time.count());

  std::printf("Von Mises stress in MPa at strains of %.2f, %.2f and %.2f\n"
              "hardening modulus                     1 GPa                     10 GPa\n",
              amplitude,
              -amplitude,
              amplitude);
  const char * names[] = {"tension", "tension under pressure", "biaxial tension", "shear"};
  for (Size test = 0; test < 4; test++)
  {
    std::printf("%-22s", names[test]);
    for (const Size material : {0, n - 1})
      for (const at::Tensor & mises : history.mises)
        std::printf("%9.2f", mises[test][material].item<double>());
    std::printf("\n");
  }
  check("The closed form gives these stresses",
        at::stack(history.mises),
        closed_form(modulus),
        1e-10);
  std::printf(history.error < 1e-8 ? "The prescribed stresses are reached, to 1e-8 MPa\n"
                                   : "NO: the prescribed stresses are missed\n");
  std::printf("Newton's method takes at most %.0f iterations in a step\n", history.iterations);

  // begin slope
  modulus.requires_grad_();
  const at::Tensor last = run(modulus).mises.back();
  last.sum().backward();
  const at::Tensor slope = modulus.grad(); // (materials), the sum over the tests
  // end slope
  const at::NoGradGuard no_grad;
  const at::Tensor more = run(modulus + 1.0).mises.back(), less = run(modulus - 1.0).mises.back();
  check("Differences give the derivative by the modulus", (more - less).sum(0) / 2, slope, 1e-6);
}
