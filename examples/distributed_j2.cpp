// SPDX-License-Identifier: MIT
// J2 plasticity over several processes: 1001 points are strained in ten steps, and each process has a part of the points. Yield
// stress and hardening modulus, which all points share, are found from measured stresses. No digit of the output depends on the
// number of processes (--digits shows all digits):
//
//     ./distributed_j2
//     torchrun --no-python --nproc-per-node 4 ./distributed_j2
#include "processes.h"

#include "neml2/math/autograd.h"
#include "neml2/tensors/invariants.h"
#include "neml2/tensors/tensors.h"

#include <ATen/ATen.h>
#include <torch/optim/lbfgs.h>

#include <cstdio>
#include <cstring>

using namespace neml2;
namespace many = neml2::distributed;

/// One point: stress in MPa, new plastic strain and new equivalent plastic strain α from the strain, the old plastic strain and the old α.
constexpr auto radial_return = [](const auto & strain,
                                  const auto & plastic_strain,
                                  const auto & alpha,
                                  const auto & yield_stress,
                                  const auto & modulus)
{
  const double mu = 80e3, kappa = 160e3;
  const auto trial = 2.0 * mu * dev(strain - plastic_strain);
  const auto mises = std::sqrt(1.5) * norm(trial);
  const auto excess = maximum(mises - (yield_stress + modulus * alpha), 0.0);
  const auto multiplier = excess / (3.0 * mu + modulus);
  const auto increment = trial * (1.5 * multiplier / maximum(mises, 1e-12));
  return std::tuple(3.0 * kappa * vol(strain) + trial - 2.0 * mu * increment,
                    plastic_strain + increment,
                    alpha + multiplier);
};

constexpr Size points = 1001;
constexpr int steps = 10;
constexpr double start[] = {300, 500}, truth[] = {250, 2000}; // yield stress and hardening modulus

/// The final stress of the points of this process: (n; 6).
SR2
stresses(const SR2 & strain, const at::Tensor & logarithms, const many::Group & group)
{
  const Size n = strain.batch_size(0).concrete();
  const auto shared =
      [&](Size k) // one per point, so that the derivative is the sum over all points
  { return many::expand_batch(start[k] * exp(Scalar(logarithms[k])), n, group); };
  const Scalar yield_stress = shared(0), modulus = shared(1);
  SR2 stress, plastic_strain = SR2::zeros({n});
  Scalar alpha = Scalar::zeros({n});
  for (int step = 1; step <= steps; step++)
    std::tie(stress, plastic_strain, alpha) = vmap(with_gradient(radial_return),
                                                   (1.0 * step / steps) * strain,
                                                   plastic_strain,
                                                   alpha,
                                                   yield_stress,
                                                   modulus);
  return stress;
}

int
main(int count, char ** arguments)
{
  const bool digits = count > 1 && std::strcmp(arguments[1], "--digits") == 0;
  set_default_dtype(kFloat64);
  const auto group = processes_of_environment(std::chrono::seconds(60));
  const bool prints = group->getRank() == 0; // all processes have the same results
  const auto print = [&](const char * what, double value)
  {
    if (prints)
      std::printf(digits ? "%-28s %a\n" : "%-28s %10.3f\n", what, value);
  };

  // The points of this process; they are made here, from their numbers.
  const auto [begin, end] = many::batch_part(points, group);
  const at::Tensor i = at::arange(begin, end, at::kDouble);
  const Scalar axial(0.01 * (i + 1) / double(points)), zero = Scalar::zeros();
  const SR2 strain = SR2::fill(axial, -0.4 * axial, -0.4 * axial, zero, zero, 0.5 * axial);
  const Scalar noise(6 * (at::frac(0.6180339887 * i * i) - 0.5)); // MPa
  const at::Tensor exact =
      at::log(at::tensor({truth[0] / start[0], truth[1] / start[1]}, at::kDouble));
  const Scalar measured = von_mises(stresses(strain, exact, group)) + noise;

  const auto misfit = [&](const at::Tensor & x)
  {
    const Scalar error = von_mises(stresses(strain, x, group)) - measured;
    return at::Tensor(many::batch_mean(error * error, group)); // of all points, in all processes
  };
  at::Tensor x = at::zeros({2}, at::kDouble).requires_grad_();
  torch::optim::LBFGS optimizer(
      std::vector<at::Tensor>{x},
      torch::optim::LBFGSOptions(1).max_iter(20).line_search_fn("strong_wolfe"));
  const at::Tensor before = optimizer.step(
      [&]
      {
        optimizer.zero_grad();
        const at::Tensor value = misfit(x);
        value.backward();
        return value;
      });

  const at::NoGradGuard no_grad;
  const Scalar mises = von_mises(stresses(strain, x, group));
  print("misfit at the start, MPa", std::sqrt(before.item<double>()));
  print("misfit found, MPa", std::sqrt(misfit(x).item<double>()));
  print("yield stress, MPa", start[0] * std::exp(x[0].item<double>()));
  print("hardening modulus, MPa", start[1] * std::exp(x[1].item<double>()));
  print("von Mises stress, smallest", many::batch_min(mises, group).item<double>());
  print("                  mean", many::batch_mean(mises, group).item<double>());
  print("                  largest", many::batch_max(mises, group).item<double>());
  print("                  of all", many::gather_batch(mises, group).sum().item<double>());
}
