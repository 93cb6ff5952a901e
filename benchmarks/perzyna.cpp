// SPDX-License-Identifier: MIT
#include "neml2/math/autograd.h"
#include "neml2/math/jacobian.h"
#include "neml2/math/newton.h"
#include "neml2/tensors/tensors.h"

#include "support/hand.h"
#include "support/peers.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

/// Viscoplasticity by Perzyna with linear hardening, an implicit step of 1 s: one equation per point. Measures the
/// stress, its tangent, and the gradient of the sum of the stresses by the strain.
using namespace neml2;
using peers::Peers;
using peers::Results;

namespace
{
constexpr double G = 80e3, kappa = 160e3, yield = 250, H = 1000, K = 100, n = 5; // MPa, s
constexpr double elastic = 3 * G + H;                                            // with hardening

/// The stress beyond the yield stress is K (dp / dt)^(1/n).
constexpr auto equation = [](const auto & dp, const auto & over)
{ return (over - elastic * dp - K * pow(dp, 1 / n)) / yield; };

constexpr auto update = [](const auto & strain, const auto & plastic, const auto & alpha)
{
  const auto trial = 2.0 * G * dev(strain - plastic);
  const auto mises = std::sqrt(1.5) * norm(trial);
  const auto over = mises - yield - H * alpha;
  const auto guess = 0.5 / elastic * macaulay(over);
  const auto found = newton(equation, guess, over, NewtonOptions().bounds(0.0, 1.0));
  const auto dp = where(over > 0.0, found, 0.0);
  return 3.0 * kappa * vol(strain) + (1.0 - 3.0 * G * dp / mises) * trial;
};

/// A point by hand: stress = volume part + factor × trial, d(factor) = slope × trial : d(trial).
struct Point
{
  double trial[6], factor = 1, slope = 0;

  Point(const double * strain, const double * plastic, const double * alpha, double * stress)
  {
    double e[6];
    for (int i = 0; i < 6; i++)
      e[i] = strain[i] - plastic[i];
    hand::dev(e, trial);
    for (double & t : trial)
      t *= 2 * G;
    const double q = std::sqrt(1.5 * hand::inner(trial, trial)), over = q - yield - H * *alpha;
    if (over > 0)
    {
      double dp = 0.5 / elastic * over;
      for (int it = 0; it < 50; it++)
      {
        const double stress_of_rate = K * std::pow(dp, 1 / n);
        const double r = over - elastic * dp - stress_of_rate;
        const double next = dp + r / (elastic + stress_of_rate / (n * dp));
        dp = next > 0 ? next : 0.1 * dp;
        if (std::abs(r) < 1e-8 * yield)
          break;
      }
      const double by_dp = elastic + (over - elastic * dp) / (n * dp); // since r = 0
      factor = 1 - 3 * G * dp / q;
      slope = -3 * G * (1 / by_dp - dp / q) * 1.5 / (q * q);
    }
    const double pressure = kappa * (strain[0] + strain[1] + strain[2]);
    for (int i = 0; i < 6; i++)
      stress[i] = factor * trial[i] + (i < 3 ? pressure : 0);
  }
  void tangent(double * C) const
  {
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++)
        C[6 * i + j] = 2 * G * (factor * (i == j) + slope * trial[i] * trial[j]) +
                       (i < 3 && j < 3 ? kappa - 2 * G * factor / 3 : 0);
  }
  void gradient(double * r) const // of the sum of the stresses
  {
    double along = 0;
    for (const double t : trial)
      along += t;
    for (int i = 0; i < 6; i++)
      r[i] = 2 * G * slope * along * trial[i] + (i < 3 ? 3 * kappa : 2 * G * factor);
  }
};

/// On whole batches by LibTorch's calls: all points iterate until the last one has converged. One more step of the
/// iteration makes the result differentiable.
struct Batches
{
  at::Tensor trial, stress, factor, slope;

  Batches(const at::Tensor & strain, const at::Tensor & plastic, const at::Tensor & alpha)
  {
    const at::Tensor e = strain - plastic, normal = e.slice(1, 0, 3);
    const at::Tensor deviator =
        at::cat({normal - normal.mean(1, /*keepdim=*/true), e.slice(1, 3)}, 1);
    trial = 2 * G * deviator;
    const at::Tensor q = (1.5 * trial.square().sum(1)).sqrt(), over = q - (yield + H * alpha),
                     flows = over.gt(0), f = over.detach().clamp_min(1e-3);
    at::Tensor dp = 0.5 / elastic * f;
    for (int it = 0; it < 50; it++)
    {
      const at::Tensor stress_of_rate = K * dp.pow(1 / n);
      const at::Tensor r = f - elastic * dp - stress_of_rate;
      const at::Tensor next = dp + r / (elastic + stress_of_rate / (n * dp));
      dp = at::where(next.gt(0), next, 0.1 * dp);
      if (r.abs().max().item<double>() < 1e-8 * yield)
        break;
    }
    const at::Tensor by_dp = elastic + (f - elastic * dp) / (n * dp);
    if (q.requires_grad())
      dp = dp + (over - elastic * dp - K * dp.pow(1 / n)) / by_dp;
    const at::Tensor zero = at::zeros_like(dp);
    factor = 1 - 3 * G * at::where(flows, dp, zero) / q;
    slope = at::where(flows, -4.5 * G * (1 / by_dp - dp / q) / q.square(), zero);
    const at::Tensor pressure = kappa * strain.slice(1, 0, 3).sum(1, true).expand({-1, 3});
    stress = factor.unsqueeze(1) * trial + at::cat({pressure, at::zeros_like(pressure)}, 1);
  }
  at::Tensor tangent() const
  {
    static const at::Tensor normal = at::tensor({1., 1., 1., 0., 0., 0.}, at::kDouble),
                            volume = at::outer(normal, normal),
                            deviator = at::eye(6, at::kDouble) - volume / 3;
    return 2 * G * slope.view({-1, 1, 1}) * trial.unsqueeze(2) * trial.unsqueeze(1) +
           2 * G * factor.view({-1, 1, 1}) * deviator + kappa * volume;
  }
};

struct Inputs
{
  at::Tensor strain, plastic, alpha;

  explicit Inputs(Size N)
    : strain(at::rand({N, 6}, at::kDouble).sub_(0.5).mul_(8e-3)),
      plastic(dev(SR2(at::rand({N, 6}, at::kDouble).mul_(1e-4)))),
      alpha(at::rand({N}, at::kDouble).mul_(1e-2))
  {
  }
};

Peers
value(Size N)
{
  const Inputs x(N);
  const SR2 e(x.strain), p(x.plastic);
  const Scalar a(x.alpha);
  return {{"neml2", [=] { return vmap(update, e, p, a); }},
          peers::floor({e, p, a}, {{N, 6}}),
          {"hand",
           [=]
           {
             return hand::Loop<6, 6, 6, 1>::run(
                 {N, 6},
                 [](const double * e_, const double * p_, const double * a_, double * s)
                 { Point(e_, p_, a_, s); },
                 x.strain,
                 x.plastic,
                 x.alpha);
           }},
          {"obvious", [=] { return Batches(x.strain, x.plastic, x.alpha).stress; }}};
}

Peers
tangent(Size N)
{
  const Inputs x(N);
  const SR2 e(x.strain), p(x.plastic);
  const Scalar a(x.alpha);
  return {{"neml2",
           [=]
           {
             const auto [stress, C] = value_and_jacobian<0>(update, e, p, a);
             return Results(stress, C);
           }},
          peers::floor({e, p, a}, {{N, 6}, {N, 36}}),
          {"hand",
           [=]
           {
             const at::Tensor both = hand::Loop<42, 6, 6, 1>::run(
                 {N, 42},
                 [](const double * e_, const double * p_, const double * a_, double * s)
                 { Point(e_, p_, a_, s).tangent(s + 6); },
                 x.strain,
                 x.plastic,
                 x.alpha);
             return Results(both.slice(1, 0, 6), both.slice(1, 6).view({N, 6, 6}));
           }},
          {"obvious",
           [=]
           {
             const Batches b(x.strain, x.plastic, x.alpha);
             return Results(b.stress, b.tangent());
           }}};
}

Peers
backward(Size N)
{
  const Inputs x(N);
  const at::Tensor strain = x.strain.clone().requires_grad_(), ones = at::ones_like(x.strain);
  const SR2 e(strain), p(x.plastic);
  const Scalar a(x.alpha);
  const auto both = [=](const at::Tensor & stress)
  { return Results(torch::autograd::grad({stress}, {strain}, {ones})[0], stress.detach()); };
  return {{"neml2", [=] { return both(vmap(with_gradient(update), e, p, a)); }},
          peers::floor({x.strain, p, a}, {{N, 6}, {N, 6}}),
          {"hand",
           [=]
           {
             const at::Tensor r = hand::Loop<12, 6, 6, 1>::run(
                 {N, 12},
                 [](const double * e_, const double * p_, const double * a_, double * s)
                 { Point(e_, p_, a_, s + 6).gradient(s); },
                 x.strain,
                 x.plastic,
                 x.alpha);
             return Results(r.slice(1, 0, 6), r.slice(1, 6));
           }},
          {"obvious", [=] { return both(Batches(strain, x.plastic, x.alpha).stress); }}};
}
} // namespace

int
main(int argc, char ** argv)
{
  peers::add("Perzyna", value, 100'000);
  peers::add("Perzyna and tangent", tangent, 100'000);
  peers::add("Perzyna and backward", backward, 100'000);
  return peers::run(argc, argv);
}
