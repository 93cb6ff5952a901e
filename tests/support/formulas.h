// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/vmap.h"
#include "neml2/tensors/tensors.h"
#include "support/operation.h"

#include <tuple>

/// Formulas of solid mechanics for vmap and related functions, and their type-erased form for the
/// checks.
namespace neml2::test
{
/// Isotropic elasticity from the strain, Young's modulus and Poisson's ratio.
constexpr auto isotropic_stress = [](const auto & strain, const auto & E, const auto & nu)
{
  const auto two_mu = E / (1.0 + nu);
  return two_mu * dev(strain) + E / (1.0 - 2.0 * nu) * vol(strain);
};

/// √(3/2) of the norm of the deviator.
constexpr auto von_mises = [](auto stress) { return std::sqrt(1.5) * norm(dev(stress)); };

/// Radial return of J2 plasticity without hardening: stress, and the increment of the plastic strain.
/// The yield stress is compared with the norm of the deviator.
constexpr auto radial_return = [](const auto & strain,
                                  const auto & plastic,
                                  const auto & E,
                                  const auto & nu,
                                  const auto & yield)
{
  const auto two_mu = E / (1.0 + nu);
  const auto trial = two_mu * dev(strain - plastic);
  const auto n = norm(trial);
  const auto over = n - yield;
  const auto slip = where(over > 0.0, over / two_mu, 0.0 * over);
  const auto direction = trial / where(n > 0.0, n, 1.0);
  return std::tuple(E / (1.0 - 2.0 * nu) * vol(strain) + trial - two_mu * slip * direction,
                    slip * direction);
};

/// All components of the results for a batch in one tensor.
template <class R>
Tensor
flat(const R & r)
{
  return Tensor(at::Tensor(r.base_dim() == 0 ? r.unsqueeze(-1) : r.flatten(r.batch_dim())),
                r.batch_dim());
}
template <class... R>
Tensor
flat(const std::tuple<R...> & results)
{
  return std::apply(
      [](const auto &... r)
      {
        const TensorShape batch = utils::broadcast_sizes(r.batch_sizes()...);
        return Tensor(at::cat({at::Tensor(flat(r).batch_expand(batch))...}, -1),
                      Size(batch.size()));
      },
      results);
}

/// vmap(f) of tensors of types T..., whose reference is f of the whole batches.
template <class... T, class F>
Operation
vmapped(const std::string & name, const F & f)
{
  return operation<T...>(
      name,
      core::Accepts::any,
      [f](const T &... t) { return flat(vmap(f, t...)); },
      [f](const Arguments & a)
      {
        return apply_as<T...>(
            a,
            [&](const T &... t) { return at::Tensor(flat(f(t...))); },
            std::index_sequence_for<T...>());
      });
}

/// f of whole batches of any kind.
template <class... T, class F>
Operation
composed(const std::string & name, const F & f)
{
  return operation<T...>(name, core::Accepts::any, [f](const T &... t) { return flat(f(t...)); });
}
} // namespace neml2::test
