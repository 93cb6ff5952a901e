// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/SR2.h"
#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/Scalar.h"

#include "compositions.h"
#include "hand.h"

#include <ATen/ATen.h>

#include <cmath>
#include <map>

/**
 * Von Mises plasticity with linear hardening, one step: the stress by radial return from strain,
 * plastic strain and hardening variable, with parameters that all points share.
 *
 * With t the trial deviator, q = √(3/2 t:t), Y = yield stress + hardening modulus × variable and
 * c = 3μ / (3μ + hardening modulus), the stress is 3κ vol(e) + (1 - c + c min(Y / q, 1)) t.
 */
namespace j2
{
using namespace neml2;

/// The formula as users of the library write it.
constexpr auto radial_return = [](const auto & strain,
                                  const auto & plastic_strain,
                                  const auto & alpha,
                                  const auto & E,
                                  const auto & nu,
                                  const auto & yield,
                                  const auto & hardening)
{
  const auto mu = E / (2.0 * (1.0 + nu)), kappa = E / (3.0 * (1.0 - 2.0 * nu));
  const auto elastic = strain - plastic_strain;
  const auto trial = 2.0 * mu * dev(elastic);
  const auto mises = std::sqrt(1.5) * norm(trial);
  const auto excess = maximum(mises - (yield + hardening * alpha), 0.0);
  const auto shrink = 1.0 - 3.0 * mu / (3.0 * mu + hardening) * excess / maximum(mises, 1e-12);
  return 3.0 * kappa * vol(elastic) + shrink * trial;
};

constexpr double E = 200e3, nu = 0.3, yield = 300, hardening = 2000;
constexpr double mu = E / (2 * (1 + nu)), kappa = E / (3 * (1 - 2 * nu)),
                 c = 3 * mu / (3 * mu + hardening);

/// Inputs for which about half of the points yield.
struct Inputs
{
  SR2 strain, plastic_strain, gradient; // (N; 6), the last the gradient of the stress
  Scalar alpha;                         // (N; )
  Scalar E, nu, yield, hardening;       // (; )
  at::Tensor strain_of_graph;           // strain and yield stress that require grad
  at::Tensor yield_of_graph;
};

inline const Inputs &
inputs(Size N, at::ScalarType dtype = at::kDouble)
{
  static std::map<std::pair<Size, at::ScalarType>, Inputs> all;
  auto & x = all[{N, dtype}];
  if (!x.strain.defined())
  {
    const auto random = [&](at::IntArrayRef shape, double scale)
    { return at::rand(shape, at::kDouble).sub_(0.5).mul_(scale).to(dtype); };
    const auto number = [&](double v) { return Scalar(at::full({}, v, dtype)); };
    x.strain = SR2(random({N, 6}, 4e-3));
    x.plastic_strain = SR2(random({N, 6}, 1e-3));
    x.gradient = SR2(random({N, 6}, 1));
    x.alpha = Scalar(random({N}, 0.01).abs());
    x.E = number(j2::E);
    x.nu = number(j2::nu);
    x.yield = number(j2::yield);
    x.hardening = number(j2::hardening);
    x.strain_of_graph = x.strain.detach().clone().set_requires_grad(true);
    x.yield_of_graph = x.yield.detach().clone().set_requires_grad(true);
  }
  return x;
}

/// The hand-written code for a row: the stress, and the numbers that its derivatives need.
template <class T>
struct Point
{
  T trial[6], mises, limit, factor;

  Point(
      const T * strain, const T * plastic_strain, const T * alpha, double yield_stress, T * stress)
  {
    T e[6];
    for (int i = 0; i < 6; i++)
      e[i] = strain[i] - plastic_strain[i];
    hand::dev(e, trial);
    for (int i = 0; i < 6; i++)
      trial[i] *= T(2 * mu);
    mises = std::sqrt(T(1.5) * hand::inner(trial, trial));
    limit = T(yield_stress) + T(hardening) * *alpha;
    factor = yields() ? T(1 - c) + T(c) * limit / mises : T(1);
    const T pressure = T(kappa) * (e[0] + e[1] + e[2]);
    for (int i = 0; i < 6; i++)
      stress[i] = factor * trial[i] + (i < 3 ? pressure : 0);
  }
  bool yields() const { return mises > limit; }
};

/// ATen compositions with all functions of the parameters folded into constants.
struct Folded
{
  // e.mm(map) = c 2μ dev(e) beside 3κ vol(e) + (1 - c) 2μ dev(e); basis: 2μ √1.5 dev in 5 dimensions
  at::Tensor map, map_t, basis, basis_t, ones;

  explicit Folded(at::ScalarType dtype = at::kDouble)
  {
    const at::Tensor I = at::eye(6, at::kDouble), P = peers::dev_matrix();
    map = at::cat({P * (2 * mu * c), (I - P) * (3 * kappa) + P * (2 * mu * (1 - c))}, 1).to(dtype);
    map_t = map.t().contiguous();
    basis = (peers::dev_basis() * (2 * mu * std::sqrt(1.5))).to(dtype);
    basis_t = basis.t().contiguous();
    ones = at::ones({1, 6}, dtype);
  }

  /// By two matrix products; min(Y / q, 1) is (q / Y) clamped from below and inverted.
  at::Tensor rows(const at::Tensor & e, const at::Tensor & limit) const
  {
    const auto x = e.mm(map);
    const auto q = at::linalg_vector_norm(e.mm(basis), 2, {-1});
    const auto m = at::clamp_max(limit / q, 1).unsqueeze(-1);
    return at::addcmul(x.slice(1, 6), x.slice(1, 0, 6), m);
  }
  /// The same with the batch innermost; it can be differentiated.
  at::Tensor columns(const at::Tensor & e, const at::Tensor & limit) const
  {
    const auto x = map_t.mm(e.t());
    const auto d = x.slice(0, 0, 6);
    const auto q = at::sqrt((d * d).sum(0));
    const auto m = at::clamp_max(limit * (c * std::sqrt(2.0 / 3.0)) / q, 1);
    return at::addcmul(x.slice(0, 6), d, m).t();
  }
};

/// The formula as books print it, by small operations; it can be differentiated.
inline at::Tensor
obvious(const at::Tensor & strain,
        const at::Tensor & plastic_strain,
        const at::Tensor & alpha,
        const at::Tensor & E_,
        const at::Tensor & nu_,
        const at::Tensor & yield_,
        const at::Tensor & hardening_)
{
  const auto G = E_ / (2 * (1 + nu_)), K = E_ / (3 * (1 - 2 * nu_));
  const auto e = strain - plastic_strain;
  const auto mean = e.slice(-1, 0, 3).mean(-1, true).expand({-1, 3});
  const auto volumetric = at::cat({mean, at::zeros_like(mean)}, -1);
  const auto trial = 2 * G * (e - volumetric);
  const auto q = (1.5 * (trial * trial).sum(-1)).sqrt();
  const auto excess = at::relu(q - (yield_ + hardening_ * alpha));
  const auto factor = 1 - 3 * G * excess / ((3 * G + hardening_) * q);
  return 3 * K * volumetric + factor.unsqueeze(-1) * trial;
}
} // namespace j2
