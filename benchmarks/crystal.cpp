// SPDX-License-Identifier: MIT
#include "neml2/math/autograd.h"
#include "neml2/math/jacobian.h"
#include "neml2/math/newton.h"
#include "neml2/math/numbers_of.h"
#include "neml2/tensors/tensors.h"

#include "support/gauss.h"
#include "support/hand.h"
#include "support/peers.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

/// A crystal that slips on the twelve systems of face-centred cubic metals by a power law, an implicit step of 1 s at given
/// resistance to slip, in the axes of the crystal: six equations per point for the stress. Measures the stress, its tangent,
/// and the gradient of the sum of the stresses by the strain. Source: Kalidindi et al. (1992), J. Mech. Phys. Solids 40,
/// 537-569, section 3.
using namespace neml2;
using peers::Peers;
using peers::Results;

namespace
{
constexpr double C11 = 168.4e3, C12 = 121.4e3, C44 = 75.4e3; // copper, MPa
constexpr double slip_rate = 1e-3, exponent = 10;

/// Mandel components of the symmetric parts of b n for {111}<110>, and the stress that a unit slip on each system
/// relaxes.
struct SlipSystems
{
  double P[12][6] = {}, CP[12][6] = {};

  constexpr SlipSystems()
  {
    int a = 0;
    for (int plane = 0; plane < 4; plane++)
      for (int k = 0; k < 3; k++) // the direction lies in the plane, perpendicular to axis k
      {
        double normal[3] = {1, 1, 1}, direction[3] = {};
        if (plane > 0)
          normal[plane - 1] = -1;
        direction[(k + 1) % 3] = normal[(k + 2) % 3];
        direction[(k + 2) % 3] = -normal[(k + 1) % 3];
        for (int i = 0; i < 3; i++)
        {
          const int j = (i + 1) % 3, l = (i + 2) % 3;
          P[a][i] = 0.40824829046386307 * normal[i] * direction[i]; // 1/√6
          P[a][3 + i] = 0.28867513459481287 * (normal[j] * direction[l] + normal[l] * direction[j]);
          CP[a][i] = (C11 - C12) * P[a][i];
          CP[a][3 + i] = 2 * C44 * P[a][3 + i];
        }
        a++;
      }
  }
};
constexpr SlipSystems slip;

/// Resolved shear stress on system a.
constexpr auto resolved = [](const auto & s, int a)
{
  auto tau = slip.P[a][0] * s(0);
  for (int k = 1; k < 6; k++)
    tau = tau + slip.P[a][k] * s(k);
  return tau;
};

/// The equations: slip relaxes the trial stress. Stresses are in units of the resistance g.
constexpr auto equations = [](const auto & s, const auto & trial, const auto & g)
{
  auto r = numbers_of((s - trial) / g);
  for (int a = 0; a < 12; a++)
  {
    const auto ratio = resolved(s, a) / g;
    const auto rate = slip_rate / g * pow(abs(ratio), exponent - 1) * ratio;
    for (int k = 0; k < 6; k++)
      r[size_t(k)] = r[size_t(k)] + slip.CP[a][k] * rate;
  }
  return tensors_of<SR2>(r);
};

constexpr auto update = [](const auto & strain, const auto & g)
{
  const auto trial = 2.0 * C44 * strain + 3.0 * C12 * vol(strain) +
                     (C11 - C12 - 2.0 * C44) * SR2::fill(strain(0), strain(1), strain(2));
  auto largest = abs(resolved(trial, 0));
  for (int a = 1; a < 12; a++)
    largest = maximum(largest, abs(resolved(trial, a)));
  return newton(equations, minimum(1.0, g / largest) * trial, trial, g);
};

double
stiffness(int i, int j)
{
  return i < 3 && j < 3 ? (i == j ? C11 : C12) : (i == j ? 2 * C44 : 0);
}

/// A point by hand: Newton's method with the Jacobian written out.
struct Point : hand::Gauss<6, 6>
{
  const double g;
  double s[6];

  Point(const double * strain, const double * resistance, double * stress) : g(*resistance)
  {
    double trial[6], largest = 0;
    for (int i = 0; i < 6; i++)
    {
      trial[i] = 0;
      for (int j = 0; j < 6; j++)
        trial[i] += stiffness(i, j) * strain[j];
    }
    for (const auto & P : slip.P)
      largest = std::max(largest, std::abs(hand::inner(P, trial)));
    for (int i = 0; i < 6; i++)
      s[i] = std::min(1.0, g / largest) * trial[i];
    for (int it = 0; it < 50; it++)
    {
      const double size = evaluate(trial);
      factor();
      solve(1);
      for (int i = 0; i < 6; i++)
        s[i] -= b[i][0];
      if (size < 1e-8)
        break;
    }
    for (int i = 0; i < 6; i++)
      stress[i] = s[i];
  }
  void tangent(double * C)
  {
    evaluate(s);
    factor();
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++)
        b[i][j] = stiffness(i, j) / g;
    solve(6);
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++)
        C[6 * i + j] = b[i][j];
  }
  void gradient(double * r) // of the sum of the stresses
  {
    evaluate(s);
    for (int i = 0; i < 6; i++)
    {
      b[i][0] = 1;
      for (int j = 0; j < i; j++)
        std::swap(J[i][j], J[j][i]);
    }
    factor();
    solve(1);
    for (int i = 0; i < 6; i++)
    {
      r[i] = 0;
      for (int j = 0; j < 6; j++)
        r[i] += stiffness(j, i) * b[j][0] / g;
    }
  }

private:
  double evaluate(const double * trial)
  {
    for (int i = 0; i < 6; i++)
    {
      b[i][0] = (s[i] - trial[i]) / g;
      for (int j = 0; j < 6; j++)
        J[i][j] = (i == j) / g;
    }
    for (int a = 0; a < 12; a++)
    {
      const double ratio = hand::inner(slip.P[a], s) / g;
      const double slope = slip_rate / g * std::pow(std::abs(ratio), exponent - 1);
      for (int i = 0; i < 6; i++)
      {
        b[i][0] += slip.CP[a][i] * slope * ratio;
        for (int j = 0; j < 6; j++)
          J[i][j] += slip.CP[a][i] * slip.P[a][j] * (exponent * slope / g);
      }
    }
    double size = 0;
    for (int i = 0; i < 6; i++)
      size = std::max(size, std::abs(b[i][0]));
    return size;
  }
};

/// On whole batches by LibTorch's calls: all points iterate until the last one has converged. One more step of the
/// iteration makes the result differentiable.
struct Batches
{
  at::Tensor trial, stress, g;

  Batches(const at::Tensor & strain, const at::Tensor & resistance)
    : trial(strain.mm(constants().C)), g(resistance.unsqueeze(1))
  {
    const at::Tensor start = trial.detach();
    const at::Tensor largest = at::amax(start.mm(constants().P_t).abs(), 1, /*keepdim=*/true);
    stress = at::clamp_max(g / largest, 1) * start;
    for (int it = 0; it < 50; it++)
    {
      const at::Tensor r = residual(start);
      stress = stress - solve(r);
      if (r.abs().max().item<double>() < 1e-8)
        break;
    }
    if (trial.requires_grad())
      stress = stress - solve(residual(trial));
  }
  at::Tensor tangent() const
  {
    return at::linalg_solve(jacobian(), (constants().C / g.unsqueeze(2)));
  }

private:
  struct Constants
  {
    at::Tensor C = at::empty({6, 6}, at::kDouble), P_t, CP, products;

    Constants()
    {
      for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
          C[i][j] = stiffness(i, j);
      at::Tensor P = at::empty({12, 6}, at::kDouble);
      for (int a = 0; a < 12; a++)
        for (int k = 0; k < 6; k++)
          P[a][k] = slip.P[a][k];
      P_t = P.t();
      CP = P.mm(C);
      products = (CP.unsqueeze(2) * P.unsqueeze(1)).view({12, 36});
    }
  };
  static const Constants & constants()
  {
    static const Constants all;
    return all;
  }
  at::Tensor residual(const at::Tensor & t) const
  {
    const at::Tensor ratio = stress.mm(constants().P_t) / g;
    return ((stress - t) + slip_rate * (ratio.abs().pow(exponent - 1) * ratio).mm(constants().CP)) /
           g;
  }
  at::Tensor jacobian() const
  {
    const at::Tensor ratio = stress.mm(constants().P_t) / g;
    const at::Tensor slope = exponent * slip_rate * ratio.abs().pow(exponent - 1) / (g * g);
    return slope.mm(constants().products).view({-1, 6, 6}) +
           at::eye(6, at::kDouble) / g.unsqueeze(2);
  }
  at::Tensor solve(const at::Tensor & r) const
  {
    return at::linalg_solve(jacobian(), r.unsqueeze(2)).squeeze(2);
  }
};

struct Inputs
{
  at::Tensor strain, g;

  explicit Inputs(Size N)
    : strain(at::rand({N, 6}, at::kDouble).sub_(0.5).mul_(8e-3)),
      g(at::rand({N}, at::kDouble).mul_(40).add_(80))
  {
  }
};

Peers
value(Size N)
{
  const Inputs x(N);
  const SR2 e(x.strain);
  const Scalar g(x.g);
  return {{"neml2", [=] { return vmap(update, e, g); }},
          peers::floor({e, g}, {{N, 6}}),
          {"hand",
           [=]
           {
             return hand::Loop<6, 6, 1>::run(
                 {N, 6},
                 [](const double * e_, const double * g_, double * s) { Point(e_, g_, s); },
                 x.strain,
                 x.g);
           }},
          {"obvious", [=] { return Batches(x.strain, x.g).stress; }}};
}

Peers
tangent(Size N)
{
  const Inputs x(N);
  const SR2 e(x.strain);
  const Scalar g(x.g);
  return {{"neml2",
           [=]
           {
             const auto [stress, C] = value_and_jacobian<0>(update, e, g);
             return Results(stress, C);
           }},
          peers::floor({e, g}, {{N, 6}, {N, 36}}),
          {"hand",
           [=]
           {
             const at::Tensor both = hand::Loop<42, 6, 1>::run(
                 {N, 42},
                 [](const double * e_, const double * g_, double * s)
                 { Point(e_, g_, s).tangent(s + 6); },
                 x.strain,
                 x.g);
             return Results(both.slice(1, 0, 6), both.slice(1, 6).view({N, 6, 6}));
           }},
          {"obvious",
           [=]
           {
             const Batches b(x.strain, x.g);
             return Results(b.stress, b.tangent());
           }}};
}

Peers
backward(Size N)
{
  const Inputs x(N);
  const at::Tensor strain = x.strain.clone().requires_grad_(), ones = at::ones_like(x.strain);
  const SR2 e(strain);
  const Scalar g(x.g);
  const auto both = [=](const at::Tensor & stress)
  { return Results(torch::autograd::grad({stress}, {strain}, {ones})[0], stress.detach()); };
  return {{"neml2", [=] { return both(vmap(with_gradient(update), e, g)); }},
          peers::floor({x.strain, g}, {{N, 6}, {N, 6}}),
          {"hand",
           [=]
           {
             const at::Tensor r = hand::Loop<12, 6, 1>::run(
                 {N, 12},
                 [](const double * e_, const double * g_, double * s)
                 { Point(e_, g_, s + 6).gradient(s); },
                 x.strain,
                 x.g);
             return Results(r.slice(1, 0, 6), r.slice(1, 6));
           }},
          {"obvious", [=] { return both(Batches(strain, x.g).stress); }}};
}
} // namespace

int
main(int argc, char ** argv)
{
  peers::add("crystal", value, 10'000);
  peers::add("crystal and tangent", tangent, 10'000);
  peers::add("crystal and backward", backward, 10'000);
  return peers::run(argc, argv);
}
