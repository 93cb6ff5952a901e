// SPDX-License-Identifier: MIT
#include "neml2/tensors/equivalent_stresses.h"

#include "neml2/math/autograd.h"
#include "neml2/math/gradient.h"
#include "neml2/tensors/tensors.h"
#include "support/errors.h"

#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include "support/difference.h"
#include "support/catch.h"

namespace equivalent_stresses_test
{
using namespace neml2;
using test::difference;
using torch::autograd::grad;

namespace
{
const std::tuple ones(1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0);
const std::tuple first(
    -0.069888, 0.936408, 0.079143, 1.003060, 0.524741, 1.363180, 1.023770, 1.069060, 0.954322);
const std::tuple second(
    0.981171, 0.476741, 0.575316, 0.866827, 1.145010, -0.079294, 1.051660, 1.147100, 1.404620);

SR2
stresses(at::IntArrayRef batch)
{
  return SR2(torch::randn(utils::add_shapes(TensorShapeRef(batch), Size(6)), kFloat64));
}

constexpr auto by_hill = [](const auto & s, const auto & p) { return hill(s, p); };
constexpr auto by_hosford = [](const auto & s, const auto & a) { return hosford(s, a); };
constexpr auto by_cone = [](const auto & s, const auto & a) { return drucker_prager(s, a); };
constexpr auto by_pyramid = [](const auto & s, const auto & phi) { return mohr_coulomb(s, phi); };
constexpr auto by_barlat = [](const auto & s, const auto & p, const auto & q, const auto & a)
{ return yld2004(s, p, q, a); };
} // namespace

TEST_CASE("equivalent stresses of any batch are those of their formulas", "[equivalent_stresses]")
{
  struct Case
  {
    std::vector<int64_t> stress, parameter;
  };
  for (const auto & c :
       {Case{{}, {}}, Case{{0}, {}}, Case{{37}, {37}}, Case{{5, 1}, {7}}, Case{{}, {3}}})
  {
    const SR2 s = stresses(c.stress);
    const Scalar a(torch::rand(c.parameter, kFloat64).mul(6.0).add(4.0)), r = 0.1 * a;
    const auto parameters = hill_parameters(r, 1.2, 0.8);
    const Scalar F = std::get<0>(parameters), N = std::get<5>(parameters);
    REQUIRE(difference(N * 2.0 * 0.8 * (1.0 + r), (r + 0.8) * 3.4 + 0.0 * F) < 1e-13);
    REQUIRE(difference(hill(s, parameters), vmap(by_hill, s, parameters)) == 0);
    REQUIRE(difference(hosford(s, a), vmap(by_hosford, s, a)) == 0);
    REQUIRE(difference(drucker_prager(s, 0.1 * r), vmap(by_cone, s, 0.1 * r)) == 0);
    REQUIRE(difference(mohr_coulomb(s, r), vmap(by_pyramid, s, r)) == 0);
    REQUIRE(difference(yld2004(s, first, second, a), vmap(by_barlat, s, first, second, a)) == 0);
    REQUIRE(difference(yld2004(s, ones, ones, a), hosford(s, a)) < 1e-13);
    REQUIRE(difference(hill(s, hill_parameters(1.0, 1.0, 1.0)), von_mises(s)) < 1e-14);
    REQUIRE(difference(hosford(s, 2.0), von_mises(s)) < 1e-14);
    const Scalar l = principal_values(s)(2) - principal_values(s)(0);
    REQUIRE(difference(hosford(s, 1.0), l) < 1e-14);
  }
}

TEST_CASE("equivalent stresses in float32 are computed in float64", "[equivalent_stresses]")
{
  const SR2 s = stresses({9}), small(at::Tensor(s).to(kFloat32));
  const auto near = [&](const Scalar & found, const Scalar & expected)
  {
    REQUIRE(at::Tensor(found).scalar_type() == kFloat32);
    REQUIRE(difference(at::Tensor(found).to(kFloat64), expected) < 1e-6);
  };
  near(hill(small, hill_parameters(0.8, 0.6, 1.1)), hill(s, hill_parameters(0.8, 0.6, 1.1)));
  near(hosford(small, 100.0), hosford(s, 100.0));
  near(drucker_prager(small, 0.2), drucker_prager(s, 0.2));
  near(mohr_coulomb(small, 0.5), mohr_coulomb(s, 0.5));
  near(yld2004(small, first, second, 8.0), yld2004(s, first, second, 8.0));
}

TEST_CASE("autograd differentiates equivalent stresses, also on whole batches",
          "[equivalent_stresses]")
{
  const SR2 s = stresses({6});
  const auto check = [&](const auto & f, const auto &... parameters)
  {
    const SR2 x(at::Tensor(s).clone().set_requires_grad(true));
    const auto whole = grad({Scalar(f(x, parameters...)).sum()}, {x})[0];
    const auto fused = grad({Scalar(vmap(with_gradient(f), x, parameters...)).sum()}, {x})[0];
    REQUIRE(difference(whole, gradient<0>(f, s, parameters...)) < 1e-12);
    REQUIRE(difference(fused, gradient<0>(f, s, parameters...)) < 1e-13);
  };
  check(by_hill, std::tuple(0.4, 0.6, 0.5, 1.2, 1.4, 1.6));
  check(by_hosford, 8.0);
  check(by_cone, 0.2);
  check(by_pyramid, 0.5);
  check(by_barlat, first, second, 8.0);
}

TEST_CASE("a NaN stays in its row of equivalent stresses, and so does zero",
          "[equivalent_stresses]")
{
  at::Tensor t = at::Tensor(stresses({4})).clone();
  const Scalar expected = yld2004(SR2(t.clone()), first, second, 8.0);
  t[1][4] = std::nan("");
  t[2].zero_();
  const SR2 s(t);
  for (const at::Tensor & found : {at::Tensor(hill(s, hill_parameters(0.8, 0.6, 1.1))),
                                   at::Tensor(hosford(s, 8.0)),
                                   at::Tensor(drucker_prager(s, 0.2)),
                                   at::Tensor(mohr_coulomb(s, 0.5)),
                                   at::Tensor(yld2004(s, first, second, 8.0))})
  {
    REQUIRE(torch::equal(found.isnan(), torch::tensor({false, true, false, false})));
    REQUIRE(found[2].item<double>() == 0);
  }
  const at::Tensor found = yld2004(s, first, second, 8.0);
  REQUIRE(torch::equal(found[0], at::Tensor(expected)[0]));
  REQUIRE(torch::equal(found[3], at::Tensor(expected)[3]));
  const at::Tensor slope = gradient<0>(by_barlat, s, first, second, 8.0);
  REQUIRE(torch::equal(slope[2], torch::zeros({6}, kFloat64)));
}

TEST_CASE("equivalent stresses refuse batches that do not broadcast", "[equivalent_stresses]")
{
  REQUIRE_THROWS_WITH(hosford(stresses({3}), Scalar(torch::ones({4}, kFloat64))),
                      Catch::Matchers::Contains("do not broadcast"));
  REQUIRE_THROWS_WITH(mohr_coulomb(SR2(), 0.5), Catch::Matchers::Contains("undefined"));
}
} // namespace equivalent_stresses_test
