// SPDX-License-Identifier: MIT
#include "neml2/core/factories.h"

#include "neml2/tensors/R2.h"
#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/SWR4.h"
#include "neml2/tensors/Vec.h"
#include "support/errors.h"

#include <torch/types.h>

#include "support/catch.h"

namespace factories_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using test::described;
using test::error_of;

namespace
{
const TensorOptions single = TensorOptions(kFloat32);

/// The message that refuses an intermediate shape.
bool
says_no_intmd(const std::string & where, const std::string & message)
{
  return message.rfind(where + ": the intermediate shape [3] was requested", 0) == 0;
}
} // namespace

TEST_CASE("Tensor's factories take dynamic, intermediate and base shape", "[core][factories]")
{
  REQUIRE(described(Tensor::empty({3}, {}, {})) == "Tensor (3;)");
  REQUIRE(described(Tensor::empty({3}, {}, {2}, single)) == "Tensor (3; 2)");
  REQUIRE(torch::equal(Tensor::zeros({5}, {}, {2}), torch::zeros({5, 2}, kFloat64)));
  REQUIRE(torch::equal(Tensor::ones({}, {}, {2, 3}, single), torch::ones({2, 3})));
  REQUIRE(torch::equal(Tensor::full({5}, {}, {2}, 1.5), torch::full({5, 2}, 1.5, kFloat64)));
  REQUIRE(torch::equal(Tensor::full({5}, {}, {}, 2, kInt64), torch::full({5}, 2, torch::kInt64)));
  REQUIRE(described(Tensor::rand({5}, {}, {2})) == "Tensor (5; 2)");
  const auto s = SR2::ones({4, 2});
  REQUIRE(described(Tensor::zeros(s.dynamic_sizes(), s.intmd_sizes(), s.base_sizes(), single)) ==
          "Tensor (4, 2; 6)");
}

TEST_CASE("lists and numbers mean shapes and values as before", "[core][factories]")
{
  const TensorShape B{5}, D{2};
  REQUIRE(described(Tensor::ones(6)) == "Tensor (; 6)");
  REQUIRE(described(Tensor::ones({1, 6})) == "Tensor (; 1, 6)");
  REQUIRE(described(Tensor::ones({1, 6}, {})) == "Tensor (1, 6;)");
  REQUIRE(torch::equal(Tensor::full({}, {2, 2}, 2.0, single), torch::full({2, 2}, 2.0f)));
  REQUIRE(torch::equal(Tensor::full(B, D, 123, single), torch::full({5, 2}, 123.0f)));
  REQUIRE(torch::equal(Tensor::full({2}, {3}, 4), torch::full({2, 3}, 4, kFloat64)));
  REQUIRE(torch::equal(Tensor::full({2}, 3), torch::full({2}, 3, kFloat64)));
  REQUIRE(torch::equal(Scalar::full(2, single), torch::full({}, 2.0f)));
  REQUIRE(torch::equal(SR2::full({}, 1.5), torch::full({6}, 1.5, kFloat64)));
  REQUIRE(described(SR2::zeros({5, 3}, single)) == "SR2 (5, 3; 6)");
  REQUIRE(described(SR2::zeros({})) == "SR2 (; 6)");
  REQUIRE(SR2::zeros({5}, "cpu").device().is_cpu());
}

TEST_CASE("a primitive type's factories take dynamic and intermediate shape", "[core][factories]")
{
  REQUIRE(described(SR2::empty({5}, {})) == "SR2 (5; 6)");
  REQUIRE(described(SR2::empty({}, {})) == "SR2 (; 6)");
  REQUIRE(torch::equal(SR2::zeros({5}, {}, single), torch::zeros({5, 6})));
  REQUIRE(torch::equal(SR2::ones({5, 3}, {}), torch::ones({5, 3, 6}, kFloat64)));
  REQUIRE(torch::equal(SR2::full({2}, {}, 1.5), torch::full({2, 6}, 1.5, kFloat64)));
  REQUIRE(torch::equal(SR2::full({2}, {}, 3, kInt64), torch::full({2, 6}, 3, torch::kInt64)));
}

TEST_CASE("rand is uniform in [0, 1)", "[core][factories]")
{
  REQUIRE(described(SR2::rand()) == "SR2 (; 6)");
  REQUIRE(SR2::rand(kFloat32).scalar_type() == kFloat32);
  REQUIRE(described(SR2::rand({5})) == "SR2 (5; 6)");
  REQUIRE(described(SR2::rand(5)) == "SR2 (5; 6)");
  REQUIRE(described(SR2::rand({})) == "SR2 (; 6)");
  REQUIRE(described(SR2::rand({5, 3}, single)) == "SR2 (5, 3; 6)");
  REQUIRE(SR2::rand({5, 3}, single).scalar_type() == kFloat32);
  REQUIRE(described(SR2::rand({}, {})) == "SR2 (; 6)");
  REQUIRE(described(SR2::rand({5}, {})) == "SR2 (5; 6)");
  REQUIRE(described(Tensor::rand({2, 3})) == "Tensor (; 2, 3)");
  REQUIRE(described(Tensor::rand({4}, {2, 3}, single)) == "Tensor (4; 2, 3)");
  REQUIRE(described(SR2::rand({0}, {})) == "SR2 (0; 6)");
  const auto r = Scalar::rand({10000}, {}, single);
  REQUIRE((r.scalar_type() == kFloat32 && r.min().item<float>() >= 0 && r.max().item<float>() < 1));
  REQUIRE(std::abs(r.mean().item<double>() - 0.5) < 0.05);
  const auto like = SR2::rand_like(SR2::zeros({4, 1}, single));
  REQUIRE((described(like) == "SR2 (4, 1; 6)" && like.scalar_type() == kFloat32));
  REQUIRE(like.max().item<float>() > 0);
  const auto leaf = SR2::rand({2}, single.requires_grad(true));
  REQUIRE((leaf.is_leaf() && leaf.requires_grad()));
  REQUIRE_THAT(error_of([] { (void)SR2::rand({2}, {}, kInt64); }), ContainsSubstring("rand: "));
  REQUIRE_THAT(error_of([] { (void)SR2::rand_like(SR2()); }),
               ContainsSubstring("rand_like: undefined tensor"));
}

TEST_CASE("factories refuse intermediate dimensions and negative sizes", "[core][factories]")
{
  const TensorShape n{3};
  REQUIRE(says_no_intmd("empty", error_of([&] { (void)SR2::empty({2}, n); })));
  REQUIRE(says_no_intmd("zeros", error_of([&] { (void)SR2::zeros({2}, n); })));
  REQUIRE(says_no_intmd("ones", error_of([&] { (void)SR2::ones({2}, n, single); })));
  REQUIRE(says_no_intmd("rand", error_of([&] { (void)SR2::rand({2}, n); })));
  REQUIRE(says_no_intmd("full", error_of([&] { (void)SR2::full({2}, n, 1); })));
  REQUIRE_THAT(error_of([&] { (void)SR2::zeros(2, 3); }),
               ContainsSubstring("A batch shape is one argument, such as {2, 3}."));
  REQUIRE(says_no_intmd("zeros", error_of([&] { (void)Tensor::zeros({2}, n, {2}); })));
  REQUIRE(says_no_intmd("full", error_of([&] { (void)Tensor::full({2}, n, {2}, 1.5); })));
  REQUIRE_THAT(error_of([] { (void)SR2::rand({-2}, {}); }),
               ContainsSubstring("rand: a tensor cannot have the shape [-2, 6]"));
}

TEST_CASE("fill takes one number per component, row-major, and options", "[core][factories][fill]")
{
  const auto t = SWR4::fill(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17);
  REQUIRE(described(t) == "SWR4 (; 6, 3)");
  REQUIRE(torch::equal(t, torch::arange(18, kFloat64).reshape({6, 3})));
  REQUIRE(torch::equal(Scalar::fill(2.5, kFloat32), torch::tensor(2.5f)));
  REQUIRE(torch::equal(Scalar::fill(3, TensorOptions(kInt64)), torch::tensor(3)));
  const auto leaf = Scalar::fill(1, default_tensor_options().requires_grad(true));
  REQUIRE((leaf.is_leaf() && leaf.requires_grad()));
  REQUIRE(R2::fill(0, -1.2, 0.8)(1, 1).item<double>() == -1.2); // three values are the diagonal
}

TEST_CASE("fill takes one Scalar per component, whose batches broadcast", "[core][factories][fill]")
{
  const Scalar a(torch::rand({4, 1}, kFloat64).set_requires_grad(true)),
      b(torch::rand({3}, kFloat64)), o = Scalar::zeros();
  const auto t = SWR4::fill(a, b, o, o, o, o, o, o, o, o, o, o, o, o, o, o, o, a);
  REQUIRE(described(t) == "SWR4 (4, 3; 6, 3)");
  REQUIRE(torch::equal(t(0, 1), b.expand({4, 3})));
  REQUIRE(torch::equal(t(5, 2), a.expand({4, 3})));
  t.sum().backward();
  REQUIRE(torch::equal(a.grad(), torch::full({4, 1}, 6, kFloat64)));
  const Scalar c = Scalar::ones({2});
  REQUIRE_THAT(
      error_of([&] { (void)SWR4::fill(b, c, o, o, o, o, o, o, o, o, o, o, o, o, o, o, o, o); }),
      ContainsSubstring("fill: batch shapes [3] and [2] do not broadcast"));
  REQUIRE_THAT(error_of([&] { (void)Scalar::fill(Scalar()); }),
               ContainsSubstring("fill: undefined tensor"));
}

TEST_CASE("einsum sums over equal letters, batch aligned with batch", "[core][factories][einsum]")
{
  const R2 A(torch::rand({4, 1, 3, 3}, kFloat64)), B(torch::rand({5, 3, 3}, kFloat64));
  const Vec v(torch::rand({5, 3}, kFloat64));
  const auto AB = R2::einsum("...ij,...jk->...ik", {A, B});
  REQUIRE(described(AB) == "R2 (4, 5; 3, 3)");
  REQUIRE(torch::allclose(AB, torch::matmul(A, B)));
  REQUIRE(torch::allclose(R2::einsum("...ij, ...jk", {A, B}), AB)); // keeps letters that occur once
  REQUIRE(torch::allclose(Vec::einsum("...ij,...j->...i", {B, v}), B * v));
  REQUIRE(described(Scalar::einsum("...ii->...", {A})) == "Scalar (4, 1;)");
  REQUIRE(torch::allclose(Vec::einsum("ij,j->i", {R2::identity(), Vec::fill(1, 2, 3)}),
                          torch::tensor({1., 2., 3.}, kFloat64)));
  REQUIRE(described(R2::einsum("...ij,...jk->...ik", {R2::ones({0}), R2::ones({1})})) ==
          "R2 (0; 3, 3)");
  REQUIRE(
      torch::equal(R2::einsum("...ij,...jk->...ik", {R2::ones({}, kInt64), R2::ones({}, kInt64)}),
                   torch::full({3, 3}, 3, torch::kInt64)));
}

TEST_CASE("einsum can be differentiated", "[core][factories][einsum][autograd]")
{
  const Vec v(torch::rand({4, 3}, kFloat64).set_requires_grad(true));
  Scalar::einsum("...i,...i->...", {v, v}).sum().backward();
  REQUIRE(torch::allclose(v.grad(), 2 * v));
}

TEST_CASE("einsum refuses equations that do not fit its tensors", "[core][factories][einsum]")
{
  const R2 A = R2::ones({4});
  const auto says = [](const auto & f, const std::string & text)
  {
    const auto message = error_of(f);
    return message.rfind("einsum: ", 0) == 0 && message.find(text) != std::string::npos;
  };
  REQUIRE(says([&] { (void)R2::einsum("...ij", {}); }, "empty list"));
  REQUIRE(says([&] { (void)R2::einsum("...ij,...jk->...ik", {A}); }, "has 2 operands"));
  REQUIRE(says([&] { (void)R2::einsum("...ij->...ij", {A, A}); }, "has 1 operands"));
  REQUIRE(says([&] { (void)R2::einsum("...i,...jk->...ik", {A, A}); }, "has 1 letters"));
  REQUIRE(says([&] { (void)R2::einsum("ij,...jk->...ik", {A, A}); }, "no leading '...'"));
  REQUIRE(says([&] { (void)R2::einsum("...ij,...jk->ik", {A, A}); }, "no leading '...'"));
  REQUIRE(says([&] { (void)R2::einsum("...i1->...i1", {A}); }, "characters other than letters"));
  REQUIRE(says([&] { (void)R2::einsum("i...j->...ij", {A}); }, "characters other than letters"));
  REQUIRE(says(
      [&] {
        (void)R2::einsum("...ij,...jk->...ik", {A, R2::ones({3})});
      },
      "[4] and [3] do not broadcast"));
  REQUIRE(says([&] { (void)R2::einsum("...ij,...jk->...ik", {A, R2()}); }, "undefined tensor"));
  REQUIRE(says(
      [&] {
        (void)R2::einsum("...ij,...jk->...ik", {A, R2::ones(kFloat32)});
      },
      "different dtypes"));
  REQUIRE_THAT(error_of([&] { (void)Vec::einsum("...ij->...", {A}); }),
               ContainsSubstring("Base shape mismatch: Vec"));
}
} // namespace factories_test
