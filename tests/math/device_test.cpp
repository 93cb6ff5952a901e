// SPDX-License-Identifier: MIT
#include "support/device.h"

#include "neml2/math/autograd.h"
#include "neml2/math/broadcast.h"
#include "neml2/math/discretization.h"
#include "neml2/math/jacobian.h"
#include "neml2/math/join.h"
#include "neml2/math/linalg.h"
#include "neml2/math/vmap_out.h"
#include "neml2/tensors/tensors.h"
#include "support/derivatives.h"
#include "support/errors.h"
#include "support/formulas.h"

#include "support/catch.h"

/// Operations that no battery of tests contains, on a device.
namespace device_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using test::Arguments;
using test::error_of;
using test::isotropic_stress;
using test::radial_return;
using test::same_on_device;

namespace
{
at::Tensor
random(at::IntArrayRef shape)
{
  return at::rand(shape, kFloat64).add(0.5);
}
} // namespace

TEST_CASE("Operators in place are the same on a device", "[math][operators][cuda]")
{
  const auto f = [](const Arguments & a)
  {
    SR2 s(a[0].clone()), strided(at::empty({6, 8}, a[0].options()).t().slice(0, 1, 8, 2));
    const Scalar k(a[1]);
    s += 1;
    s -= k;
    s *= 2.0;
    s /= k;
    s *= k.batch_index({0});
    s += SR2(a[0]);
    strided.copy_(s);
    strided -= s.batch_index({indexing::Slice(0, 1)});
    strided.batch_index_put_({indexing::Slice(0, 2)}, 7.0);
    strided.batch_index_put_({2}, SR2(a[0]).batch_index({1}));
    return Arguments{s, strided};
  };
  REQUIRE(same_on_device(f, {random({4, 6}), random({4})}));
}

TEST_CASE("Outputs of vmap and of value_and_jacobian are the same on a device",
          "[math][vmap_out][cuda]")
{
  const auto stresses = [](const Arguments & a)
  {
    const SR2 strain(a[0]);
    const Scalar E(a[1]), nu(a[2]);
    SR2 out = SR2::empty({4, 3}, a[0].options()),
        strided(at::empty({6, 3, 4}, a[0].options()).permute({2, 1, 0})), stress = out.clone();
    SSR4 tangent = SSR4::empty({4, 3}, a[0].options());
    vmap_out(out, isotropic_stress, strain, E, nu);
    vmap_out(strided, isotropic_stress, strain, E, nu);
    value_and_jacobian_out<0>(std::tie(stress, tangent), isotropic_stress, strain, E, nu);
    const auto [y, J] = value_and_jacobian<1>(isotropic_stress, strain, E, nu);
    return Arguments{out, strided, stress, tangent, y, J};
  };
  for (const auto & batch : {TensorShape{4, 3}, TensorShape{4, 1}, TensorShape{3}, TensorShape{}})
    REQUIRE(same_on_device(stresses, {random({4, 3, 6}), random(batch), random(batch).mul(0.2)}));
}

TEST_CASE("value_and_jacobian of several results by several arguments is the same on a device",
          "[math][jacobian][cuda]")
{
  const auto f = [](const Arguments & a)
  {
    const auto law = [](const auto & strains, const auto & E, const auto & nu, const auto & yield)
    { return radial_return(std::get<0>(strains), std::get<1>(strains), E, nu, yield); };
    const auto [results, J] = value_and_jacobian<0>(
        law, std::tuple(SR2(a[0]), SR2(a[1])), Scalar(a[2]), Scalar(a[3]), Scalar(a[4]));
    Arguments all{std::get<0>(results), std::get<1>(results)};
    std::apply([&](const auto &... of)
               { (std::apply([&](const auto &... by) { (all.push_back(by), ...); }, of), ...); },
               J);
    return all;
  };
  for (const Size n : {7, 0})
    REQUIRE(same_on_device(f,
                           {random({n, 6}),
                            random({n, 6}).mul(0.1),
                            random({n}),
                            random({1}).mul(0.2),
                            random({}).mul(0.1)}));
}

TEST_CASE("Gradients of a formula with gradients of its own are the same on a device, twice",
          "[math][autograd][cuda]")
{
  const auto f = [](const Arguments & a)
  {
    const at::AutoGradMode grad(true);
    const auto x = test::tracked(a);
    const SR2 y = vmap(with_gradient(isotropic_stress), SR2(x[0]), Scalar(x[1]), Scalar(x[2]));
    const auto first = test::gradient(y.pow(2).sum(), x, true);
    at::Tensor sum = first[0].pow(2).sum();
    for (size_t k = 1; k < first.size(); k++)
      sum = sum + first[k].pow(2).sum();
    Arguments all(first);
    for (const auto & second : test::gradient(sum, x, false))
      all.push_back(second);
    return all;
  };
  REQUIRE(same_on_device(f, {random({5, 6}), random({5}), random({}).mul(0.2)}));
}

TEST_CASE("The broadcasting toolkit is the same on a device", "[math][broadcast][cuda]")
{
  const auto f = [](const Arguments & a)
  {
    at::Tensor x = a[0], y = a[1], z = a[0];
    expand_to_match_ranks(x, y);
    const auto [u, v] = broadcasted(a[0], a[1]);
    broadcast_to_match(z, {5, 4, 3, 6});
    SR2 s(a[0]);
    Scalar k(a[2]);
    broadcast_to_match(s, k);
    const auto [p, q, r] = broadcasted(SR2(a[0]), Scalar(a[2]), Vec(a[3]));
    if (!can_broadcast_to_match(a[0], a[1]) || can_broadcast_to_match(a[0], a[3]))
      return Arguments{};
    return Arguments{x, y, z, u, v, s, k, p, q, r, broadcasted(Vec(a[3]), {2, 3})};
  };
  REQUIRE(
      same_on_device(f, {random({4, 3, 6}), random({5, 1, 1, 6}), random({4, 1}), random({3})}));
  REQUIRE(f({random({4, 3, 6}), random({5, 1, 1, 6}), random({4, 1}), random({3})}).size() == 11);
}

TEST_CASE("Functions that look at values wait for a device once per look", "[math][stand-in]")
{
  const std::set<std::string> looks{"aten::_local_scalar_dense"};
  const auto waits = [](const auto & f) { return test::waits_of(f); };
  const Arguments there = test::moved({random({5, 3, 3}),
                                       random({5, 3}),
                                       at::tensor({0, 1, 1, 2}, at::kLong).view({2, 2}),
                                       at::tensor({1, 2, 3}, at::kLong)},
                                      test::stand_in());
  const Tensor A(there[0], 1), b(there[1], 1), map(there[2], 2);
  const Scalar n(there[3]);
  REQUIRE(waits([&] { any(n > 2); }) == looks);
  REQUIRE(waits([&] { all(n > 2); }) == looks);
  REQUIRE(waits([&] { linalg::solve(A, b, true); }) == looks);
  REQUIRE(waits([&] { linalg::solve(A, b); }).empty());
  REQUIRE(waits([&] { pow(n, n); }) == looks);
  REQUIRE(waits([&] { pow(n.to(kFloat64), n.to(kFloat64)); }).empty());
  REQUIRE(waits([&] { discretization::scatter(b.select(1, 0), map); }) == looks);
  REQUIRE(waits(
              [&] {
                discretization::assemble(Tensor(b.slice(0, 0, 2).slice(1, 0, 2), 2), map, 3);
              }) == looks);
}

TEST_CASE("Tensors of two devices are refused with the library's message", "[math][errors][cuda]")
{
  const SR2 s(random({2, 6}));
  const SR2 there(s.to(test::device()));
  const Scalar a(random({2})), number(random({}));
  SR2 out = s.clone();
  const auto refused = [&](const auto & f)
  {
    REQUIRE_THAT(error_of(f),
                 ContainsSubstring("different devices") &&
                     ContainsSubstring(test::device().str()) && ContainsSubstring(".to(device)"));
  };
  refused([&] { there + s; });
  refused([&] { there * a; });
  refused([&] { there * number; }); // a tensor without dimensions is on a device, too
  refused([&] { out += there; });
  refused([&] { vmap(isotropic_stress, there, a, a); });
  refused(
      [&]
      {
        vmap_out(out,
                 isotropic_stress,
                 there,
                 Scalar(a.to(test::device())),
                 Scalar(a.to(test::device())));
      });
  refused([&] { value_and_jacobian<0>(isotropic_stress, there, a, a); });
  refused([&] { where(there > 0, there, s); });
  refused([&] { batch_stack({there, s}); });
  refused([&] { batch_cat({there, s}); });
  REQUIRE(at::equal(out, s));
}
} // namespace device_test
