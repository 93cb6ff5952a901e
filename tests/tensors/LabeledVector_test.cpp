// SPDX-License-Identifier: MIT
#include "neml2/tensors/LabeledVector.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/Scalar.h"
#include "support/labels.h"

#include <torch/csrc/autograd/autograd.h>

#include "support/catch.h"

namespace LabeledVector_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using test::labels::columns;
using test::labels::numbers;
using test::labels::rows;

TEST_CASE("A slice of a vector is labeled by the sub-axis, and a view", "[tensors][labels]")
{
  const auto axis = rows();
  const LabeledVector v(numbers({3, 44}), {&axis});
  const auto sub = v.slice("sub");
  REQUIRE(sub.axis() == axis.subaxis("sub"));
  REQUIRE(at::equal(sub.reinterpret<SSR4>({"C"}), v.reinterpret<SSR4>({{"sub", "C"}})));
  REQUIRE(sub.tensor().is_alias_of(v.tensor()));
  REQUIRE_THROWS_WITH(v.slice("a"), ContainsSubstring("no sub-axis 'a'"));
}

TEST_CASE("fill copies the variables that both have", "[tensors][labels]")
{
  const auto axis = rows();
  LabeledAxis wanted;
  wanted.add<SR2>("b").add<Scalar>("z").add<Scalar>({"sub", "x"});
  wanted.setup_layout();
  const LabeledVector from(numbers({3, 44}), {&axis});
  auto to = LabeledVector::zeros({3}, {&wanted});
  to.fill(from);
  REQUIRE(at::equal(to.base_index({"b"}), from.base_index({"b"})));
  REQUIRE(at::equal(to.base_index({{"sub", "x"}}), from.base_index({{"sub", "x"}})));
  REQUIRE(to.base_index({"z"}).eq(0).all().item<bool>());
  to.zero_();
  to.fill(from, /*recursive=*/false);
  REQUIRE(at::equal(to.base_index({"b"}), from.base_index({"b"})));
  REQUIRE(to.base_index({{"sub", "x"}}).eq(0).all().item<bool>());
  to.zero_();
  to.fill(LabeledVector(from.tensor().batch_index({0}), {&axis})); // the batch broadcasts
  REQUIRE(at::equal(to.base_index({"b"})[2], from.base_index({"b"})[0]));

  LabeledAxis clash;
  clash.add<SR2>("a").add<SR2>("b");
  clash.setup_layout();
  auto wrong = LabeledVector::zeros({3}, {&clash});
  REQUIRE_THROWS_WITH(wrong.fill(from),
                      ContainsSubstring("'a' has size 6 here and 1 in the other tensor"));
  LabeledAxis deep;
  deep.add<SR2>("b").add<SR2>({"sub", "x"});
  deep.setup_layout();
  auto nested = LabeledVector::zeros({3}, {&deep});
  REQUIRE_THROWS_WITH(nested.fill(from), ContainsSubstring("'sub/x' has size 6 here and 1 in"));
  REQUIRE(nested.tensor().eq(0).all().item<bool>());
  auto part = LabeledVector::zeros({3}, {&deep.subaxis("sub")});
  REQUIRE_THROWS_WITH(part.fill(LabeledVector(numbers({3, 37}), {&axis.subaxis("sub")})),
                      ContainsSubstring("'x' has size 6 here and 1 in"));
  REQUIRE_THROWS_WITH(to.fill(LabeledVector(numbers({4, 44}), {&axis})),
                      ContainsSubstring("do not broadcast"));
  auto one = LabeledVector::zeros({}, {&wanted});
  REQUIRE_THROWS_WITH(one.fill(from), ContainsSubstring("does not fit"));
  REQUIRE(wrong.tensor().eq(0).all().item<bool>());
  REQUIRE(one.tensor().eq(0).all().item<bool>());
}

TEST_CASE("fill from a view of the same memory writes what was there", "[tensors][labels]")
{
  LabeledAxis source, target;
  source.add<Scalar>("x").add<Scalar>("y");
  source.setup_layout();
  target.add<Scalar>("x").add<Scalar>("xx").add<Scalar>("y");
  target.setup_layout();
  const at::Tensor memory = numbers({4});
  const at::Tensor before = memory.clone();
  LabeledVector to(memory.slice(0, 1, 4), {&target});
  to.fill(LabeledVector(memory.slice(0, 0, 2), {&source}));
  REQUIRE(at::equal(to.base_index({"x"})[0], before[0]));
  REQUIRE(at::equal(to.base_index({"y"})[0], before[1]));
}

TEST_CASE("allclose refuses what cannot be compared", "[tensors][labels][errors]")
{
  const auto axis = rows();
  const auto a = LabeledVector::zeros({2}, {&axis});
  REQUIRE(utils::allclose(a, a));
  REQUIRE_FALSE(utils::allclose(a, LabeledVector::zeros({3}, {&axis})));
  REQUIRE_THROWS_WITH(utils::allclose(a, a.to(kFloat32)),
                      ContainsSubstring("allclose: operands of different dtypes"));
  REQUIRE_THROWS_WITH(utils::allclose(a, LabeledVector()),
                      ContainsSubstring("allclose: undefined"));
}

TEST_CASE("A vector is assembled from its variables, with gradients, and taken apart",
          "[tensors][labels][autograd]")
{
  const auto axis = rows();
  const SR2 b(numbers({3, 6}).requires_grad_());
  const SSR4 C(numbers({6, 6}).requires_grad_());
  const auto v = LabeledVector::assemble(axis, {{{"sub", "C"}, C}, {"b", b}});
  REQUIRE(v.batch_sizes() == TensorShape{3});
  REQUIRE(at::equal(v.reinterpret<SR2>({"b"}), b));
  REQUIRE(at::equal(v.reinterpret<SSR4>({{"sub", "C"}}), C.batch_expand({3})));
  REQUIRE(v.base_index({"a"}).eq(0).all().item<bool>());
  const auto g = torch::autograd::grad({v.tensor().pow(2).sum()}, {b, C});
  REQUIRE(at::allclose(g[0], 2 * b));
  REQUIRE(at::allclose(g[1], 6 * C));
  const auto parts = v.disassemble();
  REQUIRE(parts.size() == 4);
  REQUIRE(parts[1].first == LabeledAxisAccessor("b"));
  REQUIRE(at::equal(parts[1].second, b));
  REQUIRE(at::equal(LabeledVector::assemble(axis, parts), v));

  REQUIRE_THROWS_WITH(LabeledVector::assemble(axis, {{"q", b}}),
                      ContainsSubstring("no variable 'q'"));
  REQUIRE_THROWS_WITH(LabeledVector::assemble(axis, {{"b", b}, {"b", b}}),
                      ContainsSubstring("twice"));
  REQUIRE_THROWS_WITH(LabeledVector::assemble(axis, {{"b", C}}),
                      ContainsSubstring("the variable 6"));
  REQUIRE_THROWS_AS(LabeledVector::assemble(axis, {}), NEMLException);
  REQUIRE_THROWS_AS(LabeledVector::assemble(axis, {{"b", SR2()}}), NEMLException);
  REQUIRE_THROWS_AS(LabeledVector::assemble(axis, {{"b", b}, {"a", Scalar::zeros({4})}}),
                    NEMLException);
  REQUIRE_THROWS_AS(LabeledVector::assemble(axis, {{"b", b}, {"a", Scalar::zeros(kFloat32)}}),
                    NEMLException);
}
} // namespace LabeledVector_test
