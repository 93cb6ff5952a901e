// SPDX-License-Identifier: MIT
// Spellings that only programs of NEML2 2.x may use: other programs get an error for each of them.
#include "neml2/misc/utils.h"

#include "neml2/math/jacrev.h"
#include "neml2/tensors/tensors.h"
#include "support/catch.h"
#include "support/errors.h"

#include <sstream>

using namespace neml2;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("Primitive types take their batch from the trailing dimensions of a Tensor", "[relaxed]")
{
  const Tensor t = Tensor::zeros({}, {4});
  REQUIRE(Scalar(t).batch_sizes() == TensorShape{4});
  const auto batch_of = [](const Scalar & s) { return s.batch_dim(); }; // implicitly as well
  REQUIRE(batch_of(t) == 1);
  REQUIRE(Vec(Tensor::ones({}, {4, 3})).batch_sizes() == TensorShape{4});
  REQUIRE(R2(Tensor::ones({5, 3}, {3})).batch_sizes() == TensorShape{5});
  REQUIRE(SSR4(Tensor::ones({7, 6, 6}, {})).batch_sizes() == TensorShape{7});
  REQUIRE(SR2(Tensor::ones({2}, {6})).batch_sizes() == TensorShape{2});
  REQUIRE(Scalar(t).data_ptr() == t.data_ptr());
  REQUIRE_THAT(test::error_of([&] { SR2(Tensor::ones({2}, {5})); }),
               ContainsSubstring("Base shape mismatch: SR2 has base shape [6]"));
  REQUIRE_THAT(test::error_of([&] { Vec(t, 1); }), ContainsSubstring("Base shape mismatch"));
}

TEST_CASE("linspace and logspace take a count of batch dimensions", "[relaxed]")
{
  const Tensor a = Tensor::zeros({2}, {3}), b = Tensor::full({2}, {3}, 2.0);
  const Tensor all = Tensor::linspace(a, b, 5, 0, 3);
  REQUIRE(all.batch_sizes() == TensorShape{5, 2, 3});
  REQUIRE(at::equal(all, Tensor::linspace(a, b, 5, 0)));
  REQUIRE(Tensor::linspace(a, b, 5, 0, 1).base_sizes() == TensorShape{2, 3});
  REQUIRE(Tensor::linspace(a, b, 5, 1, -1).batch_sizes() == TensorShape{2, 5});
  REQUIRE(Scalar::linspace(Scalar::zeros(), Scalar::ones(), 5, 0, 1).batch_sizes() ==
          TensorShape{5});

  const Tensor powers = Tensor::logspace(a, b, 3, 0, 1);
  REQUIRE(powers.batch_sizes() == TensorShape{3});
  REQUIRE(at::allclose(powers.batch_index({1}), at::full({2, 3}, 10.0, kFloat64)));
  REQUIRE(at::allclose(Tensor::logspace(a, b, 3, 0, 1, 2.0).batch_index({2}),
                       at::full({2, 3}, 4.0, kFloat64)));
  REQUIRE(at::allclose(Tensor::logspace(a, b, 3, 0, 2.0).batch_index({2}), // with a base
                       at::full({2, 3}, 4.0, kFloat64)));
  REQUIRE_THAT(test::error_of([&] { (void)Tensor::linspace(a, b, 5, 0, 4); }),
               ContainsSubstring("cannot have 4 batch dimensions"));
  REQUIRE_THAT(test::error_of([&] { (void)SR2::linspace(SR2::zeros(), SR2::ones(), 5, 0, 2); }),
               ContainsSubstring("Base shape mismatch"));
}

TEST_CASE("A Scalar whose options request grad is a leaf", "[relaxed]")
{
  const Scalar x(3.0, default_tensor_options().requires_grad(true));
  REQUIRE((x.requires_grad() && x.is_leaf() && x.item<double>() == 3 && x.batch_dim() == 0));
  const Scalar y = x * x;
  torch::Tensor(y).backward();
  REQUIRE(x.grad().item<double>() == 6);
  REQUIRE(!Scalar(3, default_tensor_options()).requires_grad());
  REQUIRE(Scalar(3, kFloat32).scalar_type() == kFloat32);
  REQUIRE(Scalar(3, TensorOptions().requires_grad(true)).scalar_type() == kFloat64);
}

TEST_CASE("jacrev keeps the graph for another one", "[relaxed]")
{
  Tensor t = Tensor::create({{1, 2, 3}, {4, 5, 6}}, 1);
  t.requires_grad_();
  const Tensor y = t * t, z = y * t;
  const Tensor first = jacrev(z, t), again = jacrev(z, t);
  REQUIRE(at::equal(first, again));
  REQUIRE(at::allclose(jacrev(y, std::vector<Tensor>{t})[0], at::diag_embed(2 * at::Tensor(t))));
  (void)jacrev(z, t, /*retain_graph=*/false);
  REQUIRE_THAT(test::error_of([&] { (void)jacrev(z, t); }), ContainsSubstring("second time"));
}

TEST_CASE("misc/utils.h brings the functions on text", "[relaxed]")
{
  std::ostringstream os;
  internal::stream_all(os, "a", 1, 'b');
  REQUIRE(os.str() == "a1b");
  REQUIRE(stringify(true) == "true");
  REQUIRE(utils::join({"a", "b"}, "/") == "a/b");
  REQUIRE(utils::parse<double>("1.5") == 1.5);
  REQUIRE(utils::split("a/b", "/").size() == 2);
  REQUIRE_THROWS_AS(utils::parse<int>("x"), ParserException);
}
