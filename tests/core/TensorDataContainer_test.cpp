// SPDX-License-Identifier: MIT
#include "neml2/core/TensorDataContainer.h"

#include "support/errors.h"

#include <torch/types.h>

#include "support/catch.h"

namespace TensorDataContainer_test
{
using namespace neml2;
using test::error_of;

namespace
{
at::Tensor
made(const TensorDataContainer & data, Dtype dtype = kFloat64)
{
  return data.to_tensor(TensorOptions().dtype(dtype));
}
} // namespace

TEST_CASE("nested lists have the shape they show", "[core][TensorDataContainer]")
{
  REQUIRE(TensorDataContainer(1.5).sizes().empty());
  REQUIRE(TensorDataContainer({1, 2, 3}).sizes() == TensorShape{3});
  REQUIRE(TensorDataContainer({{1, 2, 3}, {4, 5, 6}}).sizes() == TensorShape{2, 3});
  REQUIRE(TensorDataContainer({{{1}, {2}}}).sizes() == TensorShape{1, 2, 1});
  REQUIRE(TensorDataContainer({{1, 2}}).sizes() == TensorShape{1, 2});
  REQUIRE(TensorDataContainer({5}).sizes() == TensorShape{1});
  REQUIRE(TensorDataContainer({}).sizes() == TensorShape{0});
  REQUIRE(TensorDataContainer().sizes() == TensorShape{0});
}

TEST_CASE("numbers of every kind may mix, and the options say the dtype",
          "[core][TensorDataContainer]")
{
  const auto t = made({{1, 2.5f}, {true, 4.0}});
  REQUIRE(t.scalar_type() == kFloat64);
  REQUIRE(torch::equal(t, torch::tensor({{1.0, 2.5}, {1.0, 4.0}}, torch::kFloat64)));
  REQUIRE(torch::equal(made({1, 2}, kFloat32), torch::tensor({1.0f, 2.0f})));
  REQUIRE(torch::equal(made({1.9, -1.9}, kInt64), torch::tensor({1, -1}, torch::kInt64)));
  REQUIRE(torch::equal(made({true, false}, c10::kBool), torch::tensor({true, false})));
  REQUIRE(torch::equal(made({1u, 2l, char(3), 4ull, 5.0l}), torch::arange(1, 6, torch::kFloat64)));
}

TEST_CASE("integers beyond 2^53 keep all digits", "[core][TensorDataContainer]")
{
  const int64_t big = (int64_t(1) << 53) + 1;
  REQUIRE(made({big}, kInt64).item<int64_t>() == big);
}

TEST_CASE("a vector of numbers is a list", "[core][TensorDataContainer]")
{
  const std::vector<double> v{1, 2, 3};
  REQUIRE(torch::equal(made(v), torch::tensor({1.0, 2.0, 3.0}, torch::kFloat64)));
  REQUIRE(made(std::vector<int64_t>()).sizes() == TensorShape{0});
  REQUIRE(torch::equal(made(std::vector<bool>{true, false}),
                       torch::tensor({1.0, 0.0}, torch::kFloat64)));
  REQUIRE(
      torch::equal(made(std::vector<size_t>{3, 4}), torch::tensor({3.0, 4.0}, torch::kFloat64)));
}

TEST_CASE("the tensor is a leaf if the options request grad", "[core][TensorDataContainer]")
{
  const auto t =
      TensorDataContainer({1, 2}).to_tensor(TensorOptions().dtype(kFloat32).requires_grad(true));
  REQUIRE(t.requires_grad());
  REQUIRE(t.is_leaf());
  REQUIRE(t.scalar_type() == kFloat32);
}

TEST_CASE("the tensor owns its numbers", "[core][TensorDataContainer]")
{
  at::Tensor t;
  {
    const std::vector<double> v{1, 2, 3};
    t = made(v);
  }
  REQUIRE(t.sum().item<double>() == 6);
}

TEST_CASE("ragged lists are refused at any level", "[core][TensorDataContainer]")
{
  REQUIRE(
      error_of(
          [] {
            TensorDataContainer({{1, 2}, {3}});
          }) ==
      "create: ragged brace list: one entry has shape [2], another [1]. All entries of a list must "
      "have the same shape.");
  REQUIRE(
      error_of(
          [] {
            TensorDataContainer({{1, 2}, 3});
          }) ==
      "create: ragged brace list: one entry has shape [2], another []. All entries of a list must "
      "have the same shape.");
  REQUIRE(error_of([] { TensorDataContainer({{{1}, {2}}, {{3}}}); }) != "no error");
}

TEST_CASE("numbers that need a gradient must be floating", "[core][TensorDataContainer]")
{
  const auto f = []
  { TensorDataContainer({1}).to_tensor(TensorOptions().dtype(kInt64).requires_grad(true)); };
  REQUIRE_THAT(error_of(f),
               Catch::Matchers::ContainsSubstring("create: ") &&
                   Catch::Matchers::ContainsSubstring("can require gradients"));
}
} // namespace TensorDataContainer_test
