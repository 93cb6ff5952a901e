// SPDX-License-Identifier: MIT
// Cyclic viscoplasticity: six specimens are pulled and pushed between two strains at rates that differ by a factor of a hundred
// thousand. At each point thirteen equations are solved by Newton's method (viscoplasticity.h). The amplitude of the last cycle is
// compared with the closed form of Lemaitre and Chaboche (1990), section 5.4.4.
#include "viscoplasticity.h"

#include "neml2/math/jacobian.h"

#include <ATen/ATen.h>

#include <cstdio>
#include <fstream>

using namespace neml2;
using viscoplasticity::update;

int
main(int count, char ** arguments)
{
  set_default_dtype(kFloat64);
  const double G = 80e3, kappa = 160e3, yield = 100, Q = 50, b = 20, C = 20e3, gamma = 200, K = 80,
               n = 5;
  const auto material = std::tuple(G, kappa, yield, Q, b, C, gamma, K, n); // MPa, s
  const Scalar rate = Scalar::create({1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1});
  const double amplitude = 0.01;
  const int cycles = 40, steps = 200; // steps per cycle
  std::ofstream curve;                // for a plot
  if (count > 1)
    curve.open(arguments[1]);

  // There is no change of volume: the axial strain is e, the lateral strains are -e/2.
  const SR2 path = SR2::fill(1.0, -0.5, -0.5, 0.0, 0.0, 0.0);
  const TensorShape batch{6};
  SR2 stress;
  auto state = std::tuple(SR2::zeros(batch), SR2::zeros(batch), Scalar::zeros(batch));
  Scalar highest = Scalar::zeros(batch), plastic = Scalar::zeros(batch);
  for (int step = 1; step <= cycles * steps; step++)
  {
    const double t = 4.0 * (step % steps) / steps, level = t < 1 ? t : t < 3 ? 2 - t : t - 4;
    const Scalar dt = 4 * amplitude / steps / rate;
    std::tie(stress, state) = vmap(update, amplitude * level * path, state, material, dt);
    const Scalar axial = 1.5 * dev(stress)(0);
    if (step > (cycles - 1) * steps) // the last cycle
    {
      highest = maximum(highest, axial);
      plastic = maximum(plastic, std::get<0>(state)(0));
    }
    if (curve.is_open() && step > (cycles - 1) * steps - 1)
    {
      curve << amplitude * level;
      for (Size i = 0; i < 6; i++)
        curve << ' ' << axial[i].item<double>();
      curve << '\n';
    }
  }

  const Scalar expected = yield + Q + K * pow(rate, 1 / n) + C / gamma * tanh(gamma * plastic);
  std::printf("Amplitude of the last cycle, MPa\n  rate 1/s   computed   closed form\n");
  for (Size i = 0; i < 6; i++)
    std::printf("%10.0e %10.2f %13.2f\n",
                rate[i].item<double>(),
                highest[i].item<double>(),
                expected[i].item<double>());

  // Compares the consistent tangent, from the same formula, with central differences, at strains in all directions; the
  // response to the small strains is elastic.
  const Size N = 1000;
  const at::Tensor directions = at::arange(6.0 * N, at::kDouble).mul(1.7).sin().view({N, 6});
  const SR2 small = Scalar(at::linspace(0, 3e-3, N, at::kDouble)) * SR2(directions);
  const auto virgin = std::tuple(SR2::zeros(), SR2::zeros(), Scalar::zeros());
  const auto [results, tangent] = value_and_jacobian<0, 0>(update, small, virgin, material, 1.0);
  double largest = 0;
  const double h = 1e-8;
  for (Size k = 0; k < 6; k++)
  {
    const SR2 d(at::eye(6, kFloat64)[k] * h);
    const SR2 up = std::get<0>(vmap(update, small + d, virgin, material, 1.0)),
              down = std::get<0>(vmap(update, small - d, virgin, material, 1.0));
    const at::Tensor difference =
        (at::Tensor(up) - at::Tensor(down)) / (2 * h) - tangent.select(-1, k);
    largest = std::max(largest, difference.abs().max().item<double>());
  }
  std::printf(
      "\nTangents agree with differences to %s of the stiffness, %lld of %lld points flow\n",
      largest < 1e-7 * 3 * kappa ? "1e-7" : "NOT 1e-7",
      (long long)(std::get<2>(std::get<1>(results)).gt(0).sum().item<int64_t>()),
      (long long)(N));
}
