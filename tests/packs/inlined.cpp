// SPDX-License-Identifier: MIT
// Various uses of formulas. All of them must be inlined into the loops, since only the loops are compiled for AVX2: the test looks for the
// names of formulas in the compiled code.
#include "neml2/math/autograd.h"
#include "neml2/math/jacobian.h"
#include "neml2/math/newton.h"
#include "neml2/math/numbers_of.h"
#include "neml2/tensors/tensors.h"

using namespace neml2;

namespace
{
/// A power law of the largest components.
constexpr auto equations = [](const auto & s, const auto & trial, const auto & g)
{
  auto r = numbers_of((s - trial) / g);
  for (size_t k = 0; k < r.size(); k++)
  {
    const auto ratio = s(int(k)) / g;
    r[k] = r[k] + 1e-3 * pow(abs(ratio), 9.0) * ratio;
  }
  return tensors_of<SR2>(r);
};

constexpr auto update = [](const auto & strain, const auto & g)
{
  const auto trial = 2e3 * dev(strain) + 5e3 * vol(strain);
  return newton(equations, minimum(1.0, g / norm(trial)) * trial, trial, g);
};
} // namespace

SR2
formula(const SR2 & strain, const Scalar & g)
{
  return vmap(update, strain, g);
}

SR2
with_tangent(const SR2 & strain, const Scalar & g, SSR4 & tangent)
{
  const auto [stress, by_strain] = value_and_jacobian<0>(update, strain, g);
  tangent = by_strain;
  return stress;
}

SR2
fused_gradient(const SR2 & strain, const Scalar & g)
{
  return vmap(with_gradient(update), strain, g);
}

std::tuple<SR2, Scalar>
group(const std::tuple<SR2, Scalar> & state)
{
  const auto both = [](const auto & x)
  { return std::tuple(update(std::get<0>(x), std::get<1>(x)), norm(std::get<0>(x))); };
  return vmap(both, state);
}
