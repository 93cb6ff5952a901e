// SPDX-License-Identifier: MIT
#include "neml2/core/Tensor.h"

#include "neml2/tensors/SSR4.h"
#include "support/errors.h"

#include <torch/types.h>

#include "support/catch.h"

namespace Tensor_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using test::described;
using test::error_of;

TEST_CASE("Tensor marks the leading dimensions as batch", "[core][Tensor]")
{
  const auto raw = torch::rand({5, 3, 6, 6}, kFloat64);
  const Tensor t(raw, 2);
  REQUIRE(described(t) == "Tensor (5, 3; 6, 6)");
  REQUIRE(t.data_ptr() == raw.data_ptr());
  REQUIRE(described(Tensor(raw, 0)) == "Tensor (; 5, 3, 6, 6)");
  REQUIRE(described(Tensor(raw, 4)) == "Tensor (5, 3, 6, 6;)");
  REQUIRE(described(Tensor(raw, TraceableTensorShape{5, 3})) == "Tensor (5, 3; 6, 6)");
}

TEST_CASE("Tensor refuses a batch that its dimensions do not hold", "[core][Tensor]")
{
  const auto raw = torch::rand({5, 3});
  REQUIRE(
      error_of([&] { Tensor(raw, 3); }) ==
      "Tensor: a tensor of shape [5, 3] cannot have 3 batch dimensions. Expected between 0 and 2.");
  REQUIRE(error_of([&] { Tensor(raw, -1); }) == "Tensor: a tensor of shape [5, 3] cannot have -1 "
                                                "batch dimensions. Expected between 0 and 2.");
  REQUIRE_THAT(error_of([&] { Tensor(raw, TraceableTensorShape{3}); }),
               ContainsSubstring(
                   "Tensor: a tensor of shape [5, 3] does not begin with the batch shape [3]"));
}

TEST_CASE("an undefined Tensor has no dimensions", "[core][Tensor]")
{
  for (const auto & t : {Tensor(), Tensor(at::Tensor(), 2), Tensor(SR2())})
  {
    REQUIRE(!t.defined());
    REQUIRE(t.batch_dim() == 0);
    REQUIRE(t.base_dim() == 0);
    REQUIRE(!t.batched());
  }
}

TEST_CASE("a Tensor is made from any primitive tensor, implicitly, and from nothing else",
          "[core][Tensor]")
{
  const auto s = SR2::ones({4, 2});
  const Tensor t = s;
  REQUIRE(described(t) == "Tensor (4, 2; 6)");
  REQUIRE(t.data_ptr() == s.data_ptr());
  REQUIRE(std::is_convertible_v<SR2, Tensor>);
  REQUIRE(std::is_convertible_v<Scalar, Tensor>);
  REQUIRE(std::is_convertible_v<Tensor, at::Tensor>);
  REQUIRE(std::is_convertible_v<const Tensor &, const at::Tensor &>);
  REQUIRE(!std::is_convertible_v<at::Tensor, Tensor>); // how many batch dimensions?
  REQUIRE(!std::is_constructible_v<Tensor, at::Tensor>);
  REQUIRE(!std::is_constructible_v<Tensor, double>);
  REQUIRE(!std::is_constructible_v<Tensor, int>);
  REQUIRE(std::is_nothrow_move_constructible_v<Tensor>);
}

TEST_CASE("a Tensor goes to LibTorch's functions, which forget the batch", "[core][Tensor]")
{
  const auto t = Tensor::ones({4}, {3});
  REQUIRE(std::is_same_v<decltype(torch::exp(t)), at::Tensor>);
  REQUIRE(torch::sum(t).item<double>() == 12);
}

TEST_CASE("Tensor::create reads nested lists", "[core][Tensor]")
{
  const auto t = Tensor::create({{1, 2, 3}, {4, 5, 6}});
  REQUIRE(described(t) == "Tensor (; 2, 3)");
  REQUIRE(t.scalar_type() == kFloat64);
  REQUIRE(torch::equal(t, torch::tensor({{1., 2., 3.}, {4., 5., 6.}}, kFloat64)));
  REQUIRE(described(Tensor::create({{1, 2, 3}, {4, 5, 6}}, 1)) == "Tensor (2; 3)");
  REQUIRE(Tensor::create({1, 2}, kInt32).scalar_type() == kInt32);
  REQUIRE(Tensor::create({{1, 2}}, 1, kFloat32).scalar_type() == kFloat32);
  const auto leaf = Tensor::create({{1, 2}}, 1, default_tensor_options().requires_grad(true));
  REQUIRE(leaf.requires_grad());
  REQUIRE(leaf.is_leaf());
  REQUIRE_THAT(error_of([] { (void)Tensor::create({{1, 2}, {3}}); }), ContainsSubstring("ragged"));
  REQUIRE_THAT(error_of(
                   [] {
                     (void)Tensor::create({1, 2}, 2);
                   }),
               ContainsSubstring("cannot have 2 batch dimensions"));
}

TEST_CASE("Tensor's factories take a base shape, or a batch and a base shape", "[core][Tensor]")
{
  REQUIRE(described(Tensor::empty({2, 3})) == "Tensor (; 2, 3)");
  REQUIRE(described(Tensor::empty({2, 3}, kFloat32)) == "Tensor (; 2, 3)");
  REQUIRE(described(Tensor::empty({4}, {2, 3})) == "Tensor (4; 2, 3)");
  REQUIRE(described(Tensor::empty({4}, {2, 3}, kFloat32)) == "Tensor (4; 2, 3)");
  REQUIRE(described(Tensor::zeros({2, 3})) == "Tensor (; 2, 3)");
  REQUIRE(described(Tensor::zeros({4}, {2, 3}, kFloat32)) == "Tensor (4; 2, 3)");
  REQUIRE(described(Tensor::ones({1, 6})) == "Tensor (; 1, 6)");
  REQUIRE(described(Tensor::ones(6)) == "Tensor (; 6)");
  REQUIRE(described(Tensor::ones({4, 1}, {})) == "Tensor (4, 1;)");
  REQUIRE(described(Tensor::zeros({}, {})) == "Tensor (;)");
  REQUIRE(described(Tensor::zeros({0}, {3})) == "Tensor (0; 3)");
  REQUIRE(described(Tensor::empty({3}, {}, {})) == "Tensor (3;)");
}

TEST_CASE("Tensor's factories set the values and the options they name", "[core][Tensor]")
{
  const TensorOptions o = TensorOptions().dtype(kFloat32);
  REQUIRE(torch::equal(Tensor::zeros({2}, o), torch::zeros({2})));
  REQUIRE(torch::equal(Tensor::ones({2}, {3}, o), torch::ones({2, 3})));
  REQUIRE(torch::equal(Tensor::full({}, {2, 2}, 2.0, o), torch::full({2, 2}, 2.0f)));
  REQUIRE(torch::equal(Tensor::full({2}, 1.5, o), torch::full({2}, 1.5f)));
  REQUIRE(Tensor::full({2}, 1.5).scalar_type() == kFloat64);
  REQUIRE(Tensor::empty({2}, kInt64).scalar_type() == kInt64);
  const TensorShape B{5}, D{2};
  REQUIRE(described(Tensor::full(B, D, 123, o)) == "Tensor (5; 2)");
  REQUIRE(torch::equal(Tensor::full(B, D, 123, kInt64), torch::full({5, 2}, 123, torch::kInt64)));
  REQUIRE(torch::equal(Tensor::full({2}, true, c10::kBool), torch::ones({2}, torch::kBool)));
}

TEST_CASE("Tensor's factories make leaves that require grad when asked", "[core][Tensor]")
{
  const auto o = default_tensor_options().requires_grad(true);
  for (const auto & t : {Tensor::empty({2}, o),
                         Tensor::zeros({2}, o),
                         Tensor::ones({1}, {2}, o),
                         Tensor::full({2}, 3, o),
                         Tensor::full({4}, {2}, 3, o),
                         Tensor::identity(3, o),
                         Tensor::identity({2}, 3, o),
                         Tensor::create({1, 2}, o)})
  {
    REQUIRE(t.requires_grad());
    REQUIRE(t.is_leaf());
  }
  REQUIRE(!Tensor::zeros({2}).requires_grad());
}

TEST_CASE("Tensor's factories refuse what cannot be made", "[core][Tensor]")
{
  REQUIRE(error_of([] { (void)Tensor::zeros({-1}, {2}); }) ==
          "zeros: a tensor cannot have the shape [-1, 2]: sizes are not negative.");
  REQUIRE_THAT(error_of([] { (void)Tensor::ones({-2}); }),
               ContainsSubstring("ones: a tensor cannot"));
  REQUIRE_THAT(error_of([] { (void)Tensor::identity(-2); }), ContainsSubstring("[-2, -2]"));
  REQUIRE_THAT(
      error_of([] { (void)Tensor::zeros({2}, TensorOptions(kInt64).requires_grad(true)); }),
      ContainsSubstring("zeros: ") && ContainsSubstring("can require gradients"));
}

TEST_CASE("Tensor::identity is the identity, each batch entry with its own storage",
          "[core][Tensor]")
{
  REQUIRE(torch::equal(Tensor::identity(3), torch::eye(3, kFloat64)));
  auto t = Tensor::identity({2, 2}, 3, kFloat32);
  REQUIRE(described(t) == "Tensor (2, 2; 3, 3)");
  REQUIRE(t.is_contiguous());
  REQUIRE(torch::equal(t, torch::eye(3).expand({2, 2, 3, 3})));
  t.batch_index_put_({0, 0}, 5);
  REQUIRE(torch::equal(t.batch_index({1, 1}), torch::eye(3)));
  REQUIRE(described(Tensor::identity({}, 2)) == "Tensor (; 2, 2)");
}

TEST_CASE("_like factories copy shape, batch dimension, dtype and device, not the values",
          "[core][Tensor]")
{
  const auto a = Tensor::full({4, 1}, {2}, 7, kFloat32);
  for (const auto & t : {Tensor::empty_like(a),
                         Tensor::zeros_like(a),
                         Tensor::ones_like(a),
                         Tensor::full_like(a, 3)})
  {
    REQUIRE(described(t) == "Tensor (4, 1; 2)");
    REQUIRE(t.scalar_type() == kFloat32);
    REQUIRE(t.data_ptr() != a.data_ptr());
  }
  REQUIRE(Tensor::zeros_like(a).abs().sum().item<float>() == 0);
  REQUIRE(Tensor::ones_like(a).sum().item<float>() == 8);
  REQUIRE(Tensor::full_like(a, 3).sum().item<float>() == 24);
  REQUIRE(!Tensor::ones_like(Tensor::create({1}, default_tensor_options().requires_grad(true)))
               .requires_grad());
  REQUIRE(Tensor::ones_like(a.batch_expand({4, 5})).is_contiguous());
  REQUIRE_THAT(error_of([] { (void)Tensor::zeros_like(Tensor()); }),
               ContainsSubstring("zeros_like: undefined tensor"));
}

TEST_CASE("base_unsqueeze_to appends base dimensions of size 1", "[core][Tensor]")
{
  const auto t = Tensor::ones({4}, {3});
  REQUIRE(described(t.base_unsqueeze_to(3)) == "Tensor (4; 3, 1, 1)");
  REQUIRE(described(t.base_unsqueeze_to(1)) == "Tensor (4; 3)");
  REQUIRE(described(Scalar::ones({4}).base_unsqueeze_to(2)) == "Tensor (4; 1, 1)");
  REQUIRE(t.base_unsqueeze_to(3).data_ptr() == t.data_ptr());
  REQUIRE(error_of([&] { t.base_unsqueeze_to(0); }) ==
          "base_unsqueeze_to: Tensor (4; 3) has more than 0 base dimensions already.");
  REQUIRE_THAT(error_of([&] { Tensor().base_unsqueeze_to(1); }),
               ContainsSubstring("base_unsqueeze_to: undefined tensor"));
}
} // namespace Tensor_test
