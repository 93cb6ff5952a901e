// SPDX-License-Identifier: MIT
#include "neml2/core/Tensor.h"
#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/Vec.h"
#include "support/errors.h"

#include <cmath>
#include <limits>
#include <sstream>

#include "support/catch.h"

namespace misuse_test
{
using namespace neml2;

// Changes that users make to tensors without the library's knowledge, and extreme numbers.

TEST_CASE("A moved-from tensor is undefined and has no batch dimension", "[core]")
{
  SR2 a = SR2::zeros({2, 3});
  const SR2 b = std::move(a);
  REQUIRE(b.batch_dim() == 2);
  REQUIRE(a.batch_dim() == 0);
  REQUIRE_FALSE(a.batched());
  REQUIRE(a.batch_sizes() == TensorShape{});
  REQUIRE_THROWS_AS(b.batch_expand_as(a), NEMLException);
}

TEST_CASE("A tensor reshaped in place behind its type is refused", "[core]")
{
  SR2 a = SR2::zeros({2, 3});
  a.resize_({6});
  REQUIRE_THROWS_AS(a + 1.0, NEMLException);
  REQUIRE_THROWS_AS(a.clone(), NEMLException);
  REQUIRE_THROWS_AS(-a, NEMLException);
  REQUIRE_THROWS_AS(a.dev(), NEMLException);
  REQUIRE_NOTHROW(a.batch_sizes());
}

TEST_CASE("No put writes into an expanded tensor", "[core]")
{
  SR2 a = SR2::zeros().batch_expand({4});
  REQUIRE_THROWS_AS(a.batch_index_put_({0}, 1.0), NEMLException);
  REQUIRE_THROWS_AS(a.base_index_put_({0}, at::ones({4})), NEMLException);
  REQUIRE(a.sum().item<double>() == 0);
}

TEST_CASE("A batch shape of one size is a shape, not a number of dimensions", "[core]")
{
  REQUIRE(neml2::Tensor(at::rand({2, 6, 6}), {2}).base_sizes() == TensorShape{6, 6});
  REQUIRE(SR2(at::rand({2, 6}), {2}).batch_sizes() == TensorShape{2});
  REQUIRE(SR2(at::rand({6}), {}).batch_sizes() == TensorShape{});
}

TEST_CASE("Fractions do not go into integer tensors unseen", "[core]")
{
  REQUIRE_THROWS_AS(SR2::fill(1, 2, 3, 4, 5, 6, kInt64), NEMLException);
  REQUIRE_THROWS_AS(SSR4::identity_vol(kInt64), NEMLException);
  REQUIRE_THROWS_AS(SSR4::identity_dev(kInt64), NEMLException);
}

TEST_CASE("A Scalar from a number takes the library's default dtype", "[core]")
{
  REQUIRE(Scalar(1.0, TensorOptions()).scalar_type() == kFloat64);
  REQUIRE(Scalar(1, TensorOptions().device(kCPU)).scalar_type() == kFloat64);
  REQUIRE_THROWS_AS(Scalar(1000, kInt8), NEMLException);
}

TEST_CASE("The absolute value of an unsigned number is itself", "[core]")
{
  REQUIRE(abs(Scalar::full(5, kUInt8)).item<int>() == 5);
}

TEST_CASE("One singular stiffness does not lose the batch", "[core]")
{
  const SSR4 C(at::stack({at::eye(6, kFloat64) * 2, at::zeros({6, 6}, kFloat64)}));
  const SSR4 S = C.inverse();
  REQUIRE(at::equal(S[0], at::eye(6, kFloat64) / 2));
  REQUIRE(at::isnan(S[1]).all().item<bool>());
}

TEST_CASE("linspace counts exactly in every floating type", "[core]")
{
  const auto l = Scalar::linspace(Scalar::full(0.0, kFloat16), Scalar::full(1.0, kFloat16), 70000);
  REQUIRE(at::isfinite(l).all().item<bool>());
  const double inf = std::numeric_limits<double>::infinity();
  REQUIRE(Scalar::linspace(Scalar::full(2.0), Scalar::full(inf), 1).item<double>() == 2);
}

TEST_CASE("A tensor without values prints its first line", "[core]")
{
  std::ostringstream os;
  os << SR2(at::zeros({2, 6}, at::TensorOptions().dtype(kFloat64).device(at::kMeta)));
  REQUIRE(os.str() == "SR2 (2; 6) float64 meta\n");
}

TEST_CASE("An error of LibTorch inside an operation is an exception of ours", "[core]")
{
  const Vec v = Vec::fill(1.0, 2.0, 3.0);
  REQUIRE_THROWS_AS(v * c10::complex<double>(0, 1), NEMLException);
  REQUIRE_THROWS_AS(-Scalar::full(true, c10::kBool), NEMLException);
  REQUIRE_THROWS_AS(Vec::fill(c10::complex<double>(0, 1), 1, 1), NEMLException);
}
} // namespace misuse_test
