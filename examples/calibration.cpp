// SPDX-License-Identifier: MIT
// Calibration: seven parameters of viscoplasticity.h are found from measured stresses. Thin tubes are twisted forward,
// backward and forward again at six rates; the measurements are simulated here, from known parameters and noise. An
// optimizer of LibTorch uses the gradient of the misfit, which passes back through all steps, and in each step through the
// equations that newton solved.
#include "viscoplasticity.h"

#include "neml2/math/autograd.h"

#include <ATen/ATen.h>
#include <torch/optim/lbfgs.h>

#include <array>
#include <cstdio>
#include <fstream>

using namespace neml2;

constexpr const char * names[] = {"yield, MPa", "Q, MPa", "b", "C, MPa", "gamma", "K, MPa", "n"};
constexpr std::array<double, 7> truth{100, 50, 30, 20e3, 200, 80, 5},
    start{60, 100, 15, 40e3, 400, 40, 8};

/// Logarithms of the ratios of the parameters to their initial values: parameters stay positive, and all have the same
/// scale.
struct Parameters : PrimitiveTensor<Parameters, 7>
{
  using PrimitiveTensor::PrimitiveTensor;
};

/// A step of one tube: the shear stress and the new state.
constexpr auto twist =
    [](const auto & strain, const auto & state, const auto & parameters, const auto & dt)
{
  const auto p = [&](int i) { return start[size_t(i)] * exp(parameters(i)); };
  const auto material = std::tuple(80e3, 160e3, p(0), p(1), p(2), p(3), p(4), p(5), p(6));
  const auto [stress, new_state] =
      viscoplasticity::update(SR2::fill(0.0, 0.0, 0.0, 0.0, 0.0, strain), state, material, dt);
  return std::tuple(stress(0, 1), new_state);
};

constexpr int steps = 100;

/// The shear strain after a step.
double
strain(int step)
{
  const double t = 5.0 * (step + 1) / steps;
  return 0.02 * (t < 1 ? t : t < 3 ? 2 - t : t - 4);
}

/// The shear stress of each tube after each step: (steps, tubes).
at::Tensor
stresses(const Parameters & parameters)
{
  const Scalar rate = Scalar::create({1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1});
  const Scalar dt = 0.1 / steps / rate;
  auto state = std::tuple(SR2::zeros({6}), SR2::zeros({6}), Scalar::zeros({6}));
  std::vector<at::Tensor> results(steps);
  for (int step = 0; step < steps; step++)
    std::tie(results[size_t(step)], state) =
        vmap(with_gradient(twist), strain(step), state, parameters, dt);
  return at::stack(results);
}

int
main(int count, char ** arguments)
{
  set_default_dtype(kFloat64);
  const at::Tensor scale = at::tensor(start, at::kDouble);
  const Parameters exact(at::log(at::tensor(truth, at::kDouble) / scale));
  const at::Tensor i = at::arange(6.0 * steps, at::kDouble).view({steps, 6});
  const at::Tensor noise = 6 * std::sqrt(3.0) * (at::frac(0.6180339887 * i * i) - 0.5); // 3 MPa
  const at::Tensor measured = stresses(exact) + noise;
  const auto loss = [&](const at::Tensor & x)
  { return (stresses(Parameters(x)) - measured).square().mean(); };

  const at::Tensor guess = at::zeros({7}, at::kDouble);
  at::Tensor x = guess.clone().requires_grad_();
  loss(x).backward();
  double largest = 0;
  for (const auto & h : (1e-5 * at::eye(7, at::kDouble)).unbind())
  {
    const at::Tensor slope = (loss(guess + h) - loss(guess - h)) / 2e-5;
    largest = std::max(largest, (slope - x.grad().dot(h) * 1e5).abs().item<double>());
  }
  std::printf("The gradient at the start agrees with differences to %s of the largest\n\n",
              largest < 1e-7 * x.grad().abs().max().item<double>() ? "1e-7" : "NOT 1e-7");

  torch::optim::LBFGS optimizer(
      std::vector<at::Tensor>{x},
      torch::optim::LBFGSOptions(1).max_iter(10).line_search_fn("strong_wolfe"));
  const auto evaluate = [&]
  {
    optimizer.zero_grad();
    const at::Tensor value = loss(x);
    value.backward();
    return value;
  };
  std::printf("iterations   misfit, MPa\n");
  for (int k = 0; k <= 50; k += 10)
  {
    const at::Tensor before = optimizer.step(evaluate); // ten iterations
    std::printf("%10d %13.2f\n", k, std::sqrt(before.item<double>()));
  }
  std::printf("     truth %13.2f\n\n", std::sqrt(loss(exact).item<double>()));

  const at::Tensor found = at::exp(x.detach()) * scale;
  std::printf("parameter        true     start     found\n");
  const double * value = found.data_ptr<double>();
  for (size_t k = 0; k < 7; k++)
    std::printf("%-10s %10.1f %9.1f %9.1f\n", names[k], truth[k], start[k], value[k]);

  if (count > 1) // for a plot: strain, and measured, initial and fitted stresses
  {
    std::ofstream curve(arguments[1]);
    const at::Tensor fit = stresses(Parameters(x.detach()));
    const at::Tensor all = at::cat({measured, stresses(Parameters(guess)), fit}, 1);
    for (int step = 0; step < steps; step++)
      for (int k = -1; k < 18; k++)
        curve << (k < 0 ? strain(step) : all[step][k].item<double>()) << (k < 17 ? ' ' : '\n');
  }
}
