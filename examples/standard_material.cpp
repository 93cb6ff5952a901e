// SPDX-License-Identifier: MIT
// A generalized standard material: a free energy and a dissipation potential (standard_material.h). Its step is compared with the step
// written by hand in viscoplasticity.h, without dynamic recovery, its cycles with a closed form, and its energies with the work supplied.
#include "standard_material.h"
#include "viscoplasticity.h"

#include "neml2/math/jacobian.h"

#include <ATen/ATen.h>

#include <cstdio>

using namespace neml2;
using standard_material::update;

void
check(const char * what, const at::Tensor & a, const at::Tensor & b)
{
  const double error = ((a - b).abs().max() / b.abs().max()).item<double>();
  std::printf(error < 1e-10 ? "%s, to 1e-10\n" : "%s: NO, but to %.0e\n", what, error);
}

constexpr double G = 80e3, kappa = 160e3, yield = 100, Q = 50, b = 20, C = 10e3, K = 80,
                 exponent = 5;
constexpr auto material = std::tuple(G, kappa, yield, Q, b, C, K, exponent); // MPa, s

/// Energy and dissipation of a step at a point, both per volume.
constexpr auto energies = [](const auto & strain, const auto & old, const auto & state)
{
  const auto & [plastic, p] = state;
  const auto [force, resistance] = standard_material::forces_of(strain, state, material);
  return std::tuple(standard_material::energy(strain, plastic, p, material),
                    inner(force, plastic - std::get<0>(old)) + resistance * (p - std::get<1>(old)));
};

struct Cycles
{
  Scalar highest, lowest, work, stored, dissipated;
  bool dissipates = true; ///< whether every step dissipates energy
};

/// Cycles between two strains without change of volume, in this many steps per cycle, at these
/// strain rates.
Cycles
cycle(const Scalar & rate, double amplitude, int cycles, int steps)
{
  const SR2 path = SR2::fill(1.0, -0.5, -0.5, 0.0, 0.0, 0.0);
  const TensorShape batch{rate.size(0)};
  const Scalar dt = 4 * amplitude / steps / rate, none = Scalar::zeros(batch);
  Cycles all{none, none, none, none, none};
  SR2 strain = SR2::zeros(batch), stress = SR2::zeros(batch);
  auto state = std::tuple(SR2::zeros(batch), Scalar::zeros(batch));
  for (int step = 1; step <= cycles * steps; step++)
  {
    const double t = 4.0 * (step % steps) / steps, level = t < 1 ? t : t < 3 ? 2 - t : t - 4;
    const SR2 moved = amplitude * level * path - strain, before = stress;
    const auto old = state;
    strain = strain + moved;
    std::tie(stress, state) = vmap(update, strain, old, material, dt);
    const auto [stored, dissipated] = vmap(energies, strain, old, state);
    all.work = all.work + 0.5 * inner(before + stress, moved);
    all.stored = stored;
    all.dissipated = all.dissipated + dissipated;
    all.dissipates = all.dissipates && dissipated.ge(0).all().item<bool>();
    if (step > (cycles - 1) * steps) // the last cycle
    {
      all.highest = maximum(all.highest, 1.5 * dev(stress)(0));
      all.lowest = minimum(all.lowest, 1.5 * dev(stress)(0));
    }
  }
  return all;
}

int
main()
{
  set_default_dtype(kFloat64);
  const Size N = 1000;
  const at::Tensor directions = at::arange(6.0 * N, at::kDouble).mul(1.7).sin().view({N, 6});
  const SR2 strain = Scalar(at::linspace(0, 3e-3, N, at::kDouble)) * SR2(directions);

  // Starts from a state that has hardened; its backstress follows from its plastic strain.
  const SR2 plastic = SR2::fill(4e-4, -1e-4, -3e-4, 2e-4, 1e-4, -3e-4);
  const Scalar p = Scalar::create(0.02);
  // begin tangent
  const auto [results, tangent] =
      value_and_jacobian<0, 0>(update, strain, std::tuple(plastic, p), material, 1.0);
  // end tangent
  const auto & [stress, state] = results;
  const SR2 X = 2.0 / 3.0 * C * plastic;
  const auto [expected, slope] =
      value_and_jacobian<0, 0>(viscoplasticity::update,
                               strain,
                               std::tuple(plastic, X, p),
                               std::tuple(G, kappa, yield, Q, b, C, 0.0, K, exponent),
                               1.0);
  const auto & [by_hand, hardened] = expected;
  std::printf("%lld of %lld points flow\n",
              (long long)(std::get<1>(state).gt(0.02).sum().item<int64_t>()),
              (long long)(N));
  check("The stress is that by hand", stress, by_hand);
  check("The plastic strain too", std::get<0>(state), std::get<0>(hardened));
  check("The accumulated plastic strain too", std::get<1>(state), std::get<2>(hardened));
  check("The tangent too", tangent, slope);
  check("The tangent is symmetric", tangent, tangent.transpose(-1, -2));

  const Scalar rate = Scalar::create({1e-6, 1e-4, 1e-2, 1.0});
  const double amplitude = 0.01;
  const Cycles last = cycle(rate, amplitude, 40, 200);
  // When the stress is steady, σ = yield + Q + C εp + K ε̇p^(1/n) with 3 G (ε̇ - ε̇p) = C ε̇p and σ = 3 G (ε - εp).
  const double flowing = 3 * G / (3 * G + C);
  const Scalar closed =
      flowing * (yield + Q + K * pow(flowing * rate, 1 / exponent) + C * amplitude);
  std::printf("\nLast of forty cycles, MPa\n  rate 1/s   highest   closed form     lowest\n");
  for (Size i = 0; i < 4; i++)
    std::printf("%10.0e %9.4f %13.4f %10.4f\n",
                rate[i].item<double>(),
                last.highest[i].item<double>(),
                closed[i].item<double>(),
                last.lowest[i].item<double>());
  std::printf(last.dissipates ? "Dissipation >= 0 in every step\n" : "NO: dissipation < 0\n");

  std::printf("\nStored + dissipated energy - work, over the work of two cycles\nsteps of a cycle");
  for (Size i = 0; i < 4; i++)
    std::printf("%9.0e", rate[i].item<double>());
  std::printf("\n");
  for (const int steps : {100, 200, 400, 800})
  {
    const Cycles two = cycle(rate, amplitude, 2, steps);
    const Scalar error = (two.stored + two.dissipated - two.work) / two.work;
    std::printf("%16d", steps);
    for (Size i = 0; i < 4; i++)
      std::printf("%9.1e", error[i].item<double>());
    std::printf("\n");
  }
}
