// SPDX-License-Identifier: MIT
#include "neml2/tensors/Rot.h"
#include "neml2/tensors/Rot.h"
#include "support/errors.h"

#include <ATen/ATen.h>

#include <cmath>

#include "support/catch.h"

namespace random_rotations_test
{
using namespace neml2;

TEST_CASE("Random rotations have the shape and the options asked for", "[tensors][Rot]")
{
  REQUIRE(Rot::fill_random(5).sizes() == TensorShape{5, 3});
  REQUIRE(Rot::fill_random(0u).sizes() == TensorShape{0, 3});
  REQUIRE(Rot::fill_random(5, 1).scalar_type() == kFloat64);
  REQUIRE(Rot::fill_random(5, 1, kFloat32).scalar_type() == kFloat32);
  REQUIRE(Rot::fill_random(5, -1, TensorOptions(kFloat32).requires_grad(true)).is_leaf());
  REQUIRE(Rot::rand().sizes() == TensorShape{3});
  REQUIRE(Rot::rand(kFloat32).scalar_type() == kFloat32);
  REQUIRE(Rot::rand({4, 2}).sizes() == TensorShape{4, 2, 3});
  REQUIRE(Rot::rand(4).sizes() == TensorShape{4, 3});
  REQUIRE(Rot::rand({4, 2}, kFloat32).scalar_type() == kFloat32);
  REQUIRE(Rot::rand({4}, TensorOptions(kFloat64).requires_grad(true)).is_leaf());
  REQUIRE(Rot::rand({}, {}).sizes() == TensorShape{3});
  REQUIRE(Rot::rand({4, 2}, {}).sizes() == TensorShape{4, 2, 3});
  REQUIRE(Rot::rand({4}, {}, kFloat32).sizes() == TensorShape{4, 3});
  REQUIRE(
      test::error_of([] { (void)Rot::rand({4}, {2}); }) ==
      "Rot::rand: the intermediate shape [2] was requested, but no intermediate dimensions are "
      "supported. Append it to the dynamic shape. A batch shape is one argument, such as {2, 3}.");
  REQUIRE_THROWS_AS((void)Rot::fill_random(-1), NEMLException);
  REQUIRE_THROWS_AS((void)Rot::fill_random(2, 1, kInt64), NEMLException);
}

TEST_CASE("Random rotations of a seed are the same and touch no other random numbers",
          "[tensors][Rot]")
{
  REQUIRE(at::equal(Rot::fill_random(7, 3), Rot::fill_random(7, 3)));
  REQUIRE(!at::equal(Rot::fill_random(7, 3), Rot::fill_random(7, 4)));
  REQUIRE(at::allclose(Rot::fill_random(7, 3, kFloat32), Rot::fill_random(7, 3).to(kFloat32)));
  at::manual_seed(11);
  const auto expected = at::rand({4});
  at::manual_seed(11);
  REQUIRE(Rot::fill_random(100, 5).defined());
  REQUIRE(at::equal(at::rand({4}), expected));
  // Without a seed they come from LibTorch's generator.
  at::manual_seed(11);
  const auto first = Rot::fill_random(3);
  REQUIRE(!at::equal(Rot::fill_random(3), first));
  at::manual_seed(11);
  REQUIRE(at::equal(Rot::fill_random(3), first));
}

TEST_CASE("Random rotations are uniformly distributed", "[tensors][Rot]")
{
  constexpr Size n = 100000;
  const auto r = Rot::fill_random(n, 0);
  REQUIRE((r.norm() <= 1).all().item<bool>());
  // The fraction of rotations with angles up to θ is (θ - sin θ) / π.
  const auto theta = std::get<0>(core::raw(r.angle()).sort());
  const auto rank = at::arange(n, at::kDouble) / n;
  REQUIRE(((theta - theta.sin()) / M_PI - rank).abs().max().item<double>() < 0.006);
  // No axis is preferred; R_ij has the mean 0, R_ij R_kl the mean δ_ik δ_jl / 3
  REQUIRE(r.axis().mean(0).abs().max().item<double>() < 0.01);
  const auto R = r.euler_rodrigues().flatten(-2);
  REQUIRE(R.mean(0).abs().max().item<double>() < 0.01);
  const auto moments = at::matmul(R.t(), R) / n - at::eye(9, at::kDouble) / 3;
  REQUIRE(moments.abs().max().item<double>() < 0.01);
}
} // namespace random_rotations_test
