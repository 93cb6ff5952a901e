// SPDX-License-Identifier: MIT
#include "../examples/viscoplasticity.h"

#include "neml2/math/jacobian.h"

#include "support/gauss.h"
#include "support/hand.h"
#include "support/peers.h"

#include <ATen/ATen.h>

/// The stress update of examples/viscoplasticity.h, with thirteen equations per point, and its
/// tangent.
using namespace neml2;
using peers::Peers;

namespace
{
const auto material = std::tuple(80e3, 160e3, 100.0, 50.0, 20.0, 20e3, 200.0, 80.0, 5.0);

/// A point by hand: Newton's method on the same equations with their Jacobian written out, and Gauss elimination.
struct Point : hand::Gauss<13, 6>
{
  /// The stress (6) and, if asked for, the tangent (6, 6).
  void operator()(const double * strain,
                  const double * plastic,
                  const double * old_X,
                  const double * old_p,
                  double * stress,
                  double * tangent)
  {
    const auto [G, kappa, yield, Q, B, C, gamma, K, N] = material;
    double trial[6], x[n], xi[6];
    const double volume = strain[0] + strain[1] + strain[2];
    double elastic[6];
    for (int i = 0; i < 6; i++)
      elastic[i] = strain[i] - plastic[i];
    const double mean = (elastic[0] + elastic[1] + elastic[2]) / 3;
    for (int i = 0; i < 6; i++)
      trial[i] = 2 * G * (elastic[i] - (i < 3 ? mean : 0));
    for (int i = 0; i < 6; i++)
      xi[i] = trial[i] - old_X[i];
    double mises = std::sqrt(1.5 * hand::inner(xi, xi));
    const double over = mises - yield - Q * (1 - std::exp(-B * *old_p));
    const double guess = over > 0 ? 0.5 * over / (3 * G + C) : 0;
    for (int i = 0; i < 6; i++)
    {
      x[i] = trial[i] - 3 * G * guess / mises * xi[i];
      x[6 + i] = old_X[i];
    }
    x[12] = guess;
    if (over > 0)
      for (int it = 0; it < 50; it++)
      {
        const double size = evaluate(x, trial, old_X, *old_p);
        factor();
        solve(1);
        for (int i = 0; i < n; i++)
          x[i] -= b[i][0];
        if (size < 1e-8)
          break;
      }
    for (int i = 0; i < 6; i++)
      stress[i] = (i < 3 ? kappa * volume : 0) + (over > 0 ? x[i] : trial[i]);
    if (!tangent)
      return;
    double of_trial[6][6] = {};
    if (over > 0)
    {
      evaluate(x, trial, old_X, *old_p);
      factor();
      for (int i = 0; i < n; i++)
        for (int j = 0; j < 6; j++)
          b[i][j] = i == j ? 1 / yield : 0;
      solve(6);
    }
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++)
        of_trial[i][j] = over > 0 ? b[i][j] : i == j;
    for (int i = 0; i < 6; i++)
    {
      const double third = (of_trial[i][0] + of_trial[i][1] + of_trial[i][2]) / 3;
      for (int j = 0; j < 6; j++)
        tangent[6 * i + j] =
            2 * G * (of_trial[i][j] - (j < 3 ? third : 0)) + (i < 3 && j < 3 ? kappa : 0);
    }
  }

private:
  double evaluate(const double * x, const double * trial, const double * old_X, double old_p)
  {
    const auto [G, kappa, yield, Q, B, C, gamma, K, N] = material;
    const double *s = x, *X = x + 6, dp = x[12];
    double xi[6], d[6];
    for (int i = 0; i < 6; i++)
      xi[i] = s[i] - X[i];
    const double length = std::sqrt(hand::inner(xi, xi)), mises = std::sqrt(1.5) * length;
    for (int i = 0; i < 6; i++)
      d[i] = 1.5 * xi[i] / mises;
    const double rate = std::pow(dp, 1 / N), e = std::exp(-B * (old_p + dp));
    for (auto & r : J)
      for (double & v : r)
        v = 0;
    for (int i = 0; i < 6; i++)
    {
      b[i][0] = (s[i] - trial[i] + 2 * G * dp * d[i]) / yield;
      b[6 + i][0] = (X[i] - old_X[i] - 2.0 / 3 * C * dp * d[i] + gamma * dp * X[i]) / yield;
      for (int j = 0; j < 6; j++)
      {
        const double turn =
            std::sqrt(1.5) / length * ((i == j) - xi[i] * xi[j] / (length * length)) / yield;
        J[i][j] = 2 * G * dp * turn + (i == j) / yield;
        J[i][6 + j] = -2 * G * dp * turn;
        J[6 + i][j] = -2.0 / 3 * C * dp * turn;
        J[6 + i][6 + j] = 2.0 / 3 * C * dp * turn + (i == j) * (1 + gamma * dp) / yield;
      }
      J[i][12] = 2 * G * d[i] / yield;
      J[6 + i][12] = (-2.0 / 3 * C * d[i] + gamma * X[i]) / yield;
      J[12][i] = d[i] / yield;
      J[12][6 + i] = -d[i] / yield;
    }
    b[12][0] = (mises - yield - Q * (1 - e) - K * rate) / yield;
    J[12][12] = (-Q * B * e - K / N * rate / dp) / yield;
    double size = 0;
    for (int i = 0; i < n; i++)
      size = std::max(size, std::abs(b[i][0]));
    return size;
  }
};

struct Inputs
{
  SR2 strain, plastic, X;
  Scalar p;

  explicit Inputs(Size N)
    : strain(SR2(at::rand({N, 6}, at::kDouble).sub_(0.5).mul_(8e-3))),
      plastic(dev(SR2(at::rand({N, 6}, at::kDouble).mul_(1e-4)))),
      X(dev(SR2(at::rand({N, 6}, at::kDouble).sub_(0.5).mul_(40)))),
      p(at::rand({N}, at::kDouble).mul_(1e-2))
  {
  }
};

at::Tensor
stress_of(const Inputs & x)
{
  const auto [stress, state] =
      vmap(viscoplasticity::update, x.strain, std::tuple(x.plastic, x.X, x.p), material, 1.0);
  return stress;
}
peers::Results
tangent_of(const Inputs & x)
{
  const auto [results, tangent] = value_and_jacobian<0, 0>(
      viscoplasticity::update, x.strain, std::tuple(x.plastic, x.X, x.p), material, 1.0);
  return {std::get<0>(results), tangent};
}

/// By LibTorch's calls, as in a program without this library: twelve backward passes and a batch of linear systems per
/// iteration.
template <class F>
auto
by_calls(const F & f)
{
  const c10::impl::IncludeDispatchKeyGuard composed(c10::DispatchKey::AutocastCPU);
  return f();
}

Peers
update(Size N)
{
  const Inputs x(N);
  return {
      {"neml2", [=] { return stress_of(x); }},
      peers::floor({x.strain, x.plastic, x.X, x.p}, {{N, 6}, {N, 13}}),
      {"hand",
       [=]
       {
         return hand::Loop<6, 6, 6, 6, 1>::run(
             {N, 6},
             [](const double * e, const double * ep, const double * X, const double * p, double * s)
             { Point()(e, ep, X, p, s, nullptr); },
             x.strain,
             x.plastic,
             x.X,
             x.p);
       }},
      {"obvious", [=] { return by_calls([&] { return stress_of(x); }); }}};
}

Peers
tangent(Size N)
{
  const Inputs x(N);
  return {
      {"neml2", [=] { return tangent_of(x); }},
      peers::floor({x.strain, x.plastic, x.X, x.p}, {{N, 6}, {N, 36}}),
      {"hand",
       [=]
       {
         const at::Tensor both = hand::Loop<42, 6, 6, 6, 1>::run(
             {N, 42},
             [](const double * e, const double * ep, const double * X, const double * p, double * s)
             { Point()(e, ep, X, p, s, s + 6); },
             x.strain,
             x.plastic,
             x.X,
             x.p);
         return peers::Results(both.slice(1, 0, 6), both.slice(1, 6).view({N, 6, 6}));
       }},
      {"obvious", [=] { return by_calls([&] { return tangent_of(x); }); }}};
}
} // namespace

int
main(int argc, char ** argv)
{
  peers::add("viscoplasticity", update, 10'000);
  peers::add("viscoplasticity tangent", tangent, 10'000);
  return peers::run(argc, argv);
}
