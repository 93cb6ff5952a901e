// SPDX-License-Identifier: MIT
#include "../examples/standard_material.h"
#include "support/peers.h"

#include "neml2/math/jacobian.h"

#include <ATen/ops/full.h>
#include <ATen/ops/linspace.h>

#include <cmath>

/// The step of examples/standard_material.h, whose equations are gradients of potentials, and the same equations with hand-written gradients.
using namespace neml2;
using peers::Peers;
using peers::Results;

namespace
{
constexpr auto material = std::tuple(80e3, 160e3, 100.0, 50.0, 20.0, 10e3, 80.0, 5.0); // MPa, s

namespace by_hand
{
constexpr auto new_state =
    [](const auto & forces, const auto & old, const auto & m, const auto & dt)
{
  const auto & [force, resistance] = forces;
  const auto & [plastic, p] = old;
  const auto & [G, kappa, yield, Q, b, C, K, n] = m;
  const auto deviator = dev(force);
  const auto size = norm(deviator);
  const auto rate = pow(macaulay(std::sqrt(1.5) * size + resistance - yield) / K, n);
  return std::tuple(plastic + dt * std::sqrt(1.5) * rate / maximum(size, 1e-300) * deviator,
                    p + dt * rate);
};

constexpr auto forces_of = [](const auto & strain, const auto & state, const auto & m)
{
  const auto & [plastic, p] = state;
  const auto & [G, kappa, yield, Q, b, C, K, n] = m;
  return std::tuple(2.0 * G * (dev(strain) - plastic) - 2.0 / 3.0 * C * plastic,
                    Q * (exp(-b * p) - 1.0));
};

constexpr auto equations =
    [](const auto & forces, const auto & strain, const auto & old, const auto & m, const auto & dt)
{
  const auto yield = std::get<2>(m);
  const auto found = forces_of(strain, new_state(forces, old, m, dt), m);
  return std::tuple((std::get<0>(forces) - std::get<0>(found)) / yield,
                    (std::get<1>(forces) - std::get<1>(found)) / yield);
};

constexpr auto update = [](const auto & strain, const auto & old, const auto & m, const auto & dt)
{
  const auto start = standard_material::guess(forces_of(strain, old, m), m, dt);
  const auto forces = newton(equations, start, strain, old, m, dt);
  const auto state = new_state(forces, old, m, dt);
  const auto & [G, kappa, yield, Q, b, C, K, n] = m;
  const auto stress = 3.0 * kappa * vol(strain) + 2.0 * G * (dev(strain) - std::get<0>(state));
  return std::tuple(stress, state);
};
} // namespace by_hand

/// Inputs for which most points flow, from a state that has hardened.
struct Inputs
{
  SR2 strain;
  std::tuple<SR2, Scalar> old;

  explicit Inputs(Size N)
  {
    const at::Tensor directions = at::arange(6.0 * double(N), at::kDouble).mul(1.7).sin();
    strain = Scalar(at::linspace(0, 3e-3, N, at::kDouble)) * SR2(directions.view({N, 6}));
    const SR2 plastic = SR2::fill(4e-4, -1e-4, -3e-4, 2e-4, 1e-4, -3e-4);
    old = std::tuple(SR2(plastic.expand({N, 6}).contiguous()),
                     Scalar(at::full({N}, 0.02, at::kDouble)));
  }
};

template <class Update>
peers::Peer
step(const char * name, const Update & update, const Inputs & x)
{
  return {name,
          [=]
          {
            const auto [stress, state] = vmap(update, x.strain, x.old, material, 1.0);
            return Results(stress, std::get<0>(state));
          }};
}
template <class Update>
peers::Peer
step_with_tangent(const char * name, const Update & update, const Inputs & x)
{
  return {name,
          [=]
          {
            const auto [results, tangent] =
                value_and_jacobian<0, 0>(update, x.strain, x.old, material, 1.0);
            return Results(tangent, std::get<0>(results));
          }};
}

Peers
steps(Size N)
{
  const Inputs x(N);
  const at::Tensor e = x.strain, plastic = std::get<0>(x.old), p = std::get<1>(x.old);
  return {step("neml2", standard_material::update, x),
          step("neml2 by hand", by_hand::update, x),
          peers::floor({e, plastic, p}, {{N, 6}, {N, 6}})};
}

Peers
tangents(Size N)
{
  const Inputs x(N);
  const at::Tensor e = x.strain, plastic = std::get<0>(x.old), p = std::get<1>(x.old);
  return {step_with_tangent("neml2", standard_material::update, x),
          step_with_tangent("neml2 by hand", by_hand::update, x),
          peers::floor({e, plastic, p}, {{N, 6}, {N, 6, 6}})};
}
} // namespace

int
main(int argc, char ** argv)
{
  peers::add("standard material", steps, 10'000);
  peers::add("standard material and tangent", tangents, 10'000);
  return peers::run(argc, argv);
}
