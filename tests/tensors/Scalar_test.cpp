// SPDX-License-Identifier: MIT
#include "neml2/tensors/Scalar.h"
#include "support/errors.h"

#include <ATen/ATen.h>

#include "support/catch.h"

namespace Scalar_test
{
using namespace neml2;

TEST_CASE("A Scalar of a number has the options' dtype and no batch", "[tensors][Scalar]")
{
  const Scalar a(2.5, kFloat32);
  REQUIRE(a.scalar_type() == kFloat32);
  REQUIRE(a.dim() == 0);
  REQUIRE(a.batch_dim() == 0);
  REQUIRE(a.item<float>() == 2.5f);
  REQUIRE(Scalar(3, kInt64).item<int64_t>() == 3);
  const auto error =
      test::error_of([] { Scalar(1.0, default_tensor_options().requires_grad(true)); });
  REQUIRE(
      error ==
      "Scalar(number, options): the options request grad. Call requires_grad_() on the result.");
}

TEST_CASE("Every dimension of a Scalar is a batch dimension", "[tensors][Scalar]")
{
  const Scalar a(at::rand({4, 3}, at::kDouble));
  REQUIRE(a.batch_sizes() == TensorShape{4, 3});
  REQUIRE(a.base_dim() == 0);
  const auto t = a.base_unsqueeze_to(2);
  REQUIRE(t.batch_sizes() == TensorShape{4, 3});
  REQUIRE(t.base_sizes() == TensorShapeRef({1, 1}));
}

TEST_CASE("The derivative of a scalar by itself is 1", "[tensors][Scalar]")
{
  REQUIRE(Scalar::identity_map().item<double>() == 1);
  REQUIRE(Scalar::identity_map(kFloat32).scalar_type() == kFloat32);
  REQUIRE(Scalar::identity_map().batch_dim() == 0);
}

TEST_CASE("The elementwise functions come with Scalar", "[tensors][Scalar]")
{
  const Scalar a(at::tensor({-4.0, 9.0}, at::kDouble));
  const Scalar r = where(a > 0.0, sqrt(abs(a)), -1);
  REQUIRE(at::equal(r, at::tensor({-1.0, 3.0}, at::kDouble)));
}
} // namespace Scalar_test
