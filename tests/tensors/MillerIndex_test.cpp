// SPDX-License-Identifier: MIT
#include "neml2/tensors/MillerIndex.h"
#include "support/device.h"
#include "support/errors.h"

#include <ATen/ATen.h>
#include <numeric>

#include "support/catch.h"

namespace MillerIndex_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using test::error_of;

TEST_CASE("MillerIndex::fill makes integers, and refuses what is none", "[tensors][MillerIndex]")
{
  const auto m = MillerIndex::fill(4, -2, 6);
  REQUIRE(at::equal(m, at::tensor({4, -2, 6}, at::kLong)));
  REQUIRE(m.batch_dim() == 0);
  REQUIRE(m(1).item<int64_t>() == -2);
  REQUIRE(MillerIndex::fill(1, 1, 0, kInt8).scalar_type() == kInt8);
  REQUIRE(MillerIndex::fill(1, 2.0, 0).scalar_type() == kInt64); // 2.0 is whole
  REQUIRE_THAT(error_of([] { (void)MillerIndex::fill(1, 0.5, 0); }),
               ContainsSubstring("MillerIndex::fill: Miller indices are integers") &&
                   ContainsSubstring("int64"));
  REQUIRE_THAT(error_of([] { (void)MillerIndex::fill(1, 300, 0, kUInt8); }),
               ContainsSubstring("uint8"));
  REQUIRE_THROWS_AS(MillerIndex::fill(1, NAN, 0), NEMLException);
}

TEST_CASE("MillerIndex::fill of scalars broadcasts them", "[tensors][MillerIndex]")
{
  const auto h = Scalar::create({1, 2}, kInt32), one = Scalar::full(1, kInt32);
  const auto l = Scalar::create({{3}, {4}, {5}}, kInt32);
  const auto m = MillerIndex::fill(h, one, l);
  REQUIRE(m.batch_sizes() == TensorShape{3, 2});
  REQUIRE(m.scalar_type() == kInt32);
  REQUIRE(at::equal(m.batch_index({2}), at::tensor({1, 1, 5, 2, 1, 5}, at::kInt).reshape({2, 3})));
  REQUIRE_THAT(error_of(
                   [&] {
                     (void)MillerIndex::fill(h, one, Scalar::create({1, 2, 3}, kInt32));
                   }),
               ContainsSubstring("[2] and [3] do not broadcast"));
  const auto x = Scalar::full(1.0);
  REQUIRE_THAT(error_of([&] { (void)MillerIndex::fill(x, x, x); }),
               ContainsSubstring("expected integers, got float64") && ContainsSubstring("kInt64"));
}

TEST_CASE("Brace lists of Miller indices are integers unless asked for something else",
          "[tensors][MillerIndex]")
{
  const auto m = MillerIndex::create({{1, 0, 0}, {1, 1, 0}});
  REQUIRE(m.scalar_type() == kInt64);
  REQUIRE(m.batch_sizes() == TensorShape{2});
  REQUIRE(MillerIndex::create({1, 0, 0}, kInt16).scalar_type() == kInt16);
  REQUIRE_THROWS_AS(MillerIndex::create({1.5, 0, 0}), NEMLException);
}

TEST_CASE("The other factories of MillerIndex have the default options of all types",
          "[tensors][MillerIndex]")
{
  REQUIRE(MillerIndex::zeros().scalar_type() == kFloat64);
  REQUIRE(MillerIndex::zeros({2}, {}).scalar_type() == kFloat64);
  REQUIRE(MillerIndex::ones({2, 1}, kInt32).sizes() == at::IntArrayRef({2, 1, 3}));
  REQUIRE(MillerIndex::empty(kInt8).scalar_type() == kInt8);
  REQUIRE(at::equal(MillerIndex::full({2}, {}, 5, kInt64), at::full({2, 3}, 5, at::kLong)));
}

TEST_CASE("reduce divides by the greatest common divisor and keeps signs", "[tensors][MillerIndex]")
{
  const auto reduced = [](int h, int k, int l) { return MillerIndex::fill(h, k, l).reduce(); };
  REQUIRE(at::equal(reduced(4, -2, 6), MillerIndex::fill(2, -1, 3)));
  REQUIRE(at::equal(reduced(2, 2, 6), MillerIndex::fill(1, 1, 3)));
  REQUIRE(at::equal(reduced(0, 0, 5), MillerIndex::fill(0, 0, 1)));
  REQUIRE(at::equal(reduced(0, 0, -5), MillerIndex::fill(0, 0, -1)));
  REQUIRE(at::equal(reduced(-3, 0, -6), MillerIndex::fill(-1, 0, -2)));
  REQUIRE(at::equal(reduced(3, 5, 7), MillerIndex::fill(3, 5, 7)));
  REQUIRE(at::equal(reduced(0, 0, 0), MillerIndex::fill(0, 0, 0)));
}

TEST_CASE("reduce takes batches of any shape, strides and integer dtype", "[tensors][MillerIndex]")
{
  for (const auto dtype : {kInt8, kInt16, kInt32, kInt64, kUInt8})
    for (const auto & batch : std::vector<TensorShape>{{}, {0}, {1}, {7}, {2, 3}, {300}})
    {
      const at::Tensor random =
          at::randint(dtype == kUInt8 ? 0 : -12, 13, utils::add_shapes(3, batch), at::kLong);
      const MillerIndex m(random.to(dtype).movedim(0, -1));
      const MillerIndex n = m.reduce();
      REQUIRE(n.scalar_type() == dtype);
      REQUIRE(n.batch_sizes() == batch);
      const at::Tensor x = m.to(kInt64).reshape({-1, 3}).contiguous(),
                       y = n.to(kInt64).reshape({-1, 3}).contiguous();
      for (int64_t i = 0; i < x.size(0); i++)
      {
        const auto at_ = [&](const at::Tensor & t, int64_t k) { return t[i][k].item<int64_t>(); };
        const auto g = std::gcd(std::gcd(at_(x, 0), at_(x, 1)), at_(x, 2));
        for (int64_t k = 0; k < 3; k++)
          REQUIRE(at_(y, k) * g == at_(x, k));
        REQUIRE((g > 0 || y[i].eq(0).all().item<bool>()));
      }
    }
}

TEST_CASE("reduce refuses numbers that are not integers and says what to do",
          "[tensors][MillerIndex][errors]")
{
  REQUIRE_THAT(error_of(
                   [] {
                     (void)MillerIndex(at::ones({2, 3}, at::kDouble)).reduce();
                   }),
               ContainsSubstring("MillerIndex::reduce: expected integers, got float64") &&
                   ContainsSubstring("MillerIndex (2; 3)") &&
                   ContainsSubstring("Round, and convert with .to(kInt64)"));
  REQUIRE_THAT(error_of(
                   [] {
                     (void)MillerIndex(at::ones({2, 3}, at::kBool)).reduce();
                   }),
               ContainsSubstring("not defined for dtype bool"));
  REQUIRE_THAT(error_of([] { (void)MillerIndex().reduce(); }),
               ContainsSubstring("MillerIndex::reduce: undefined tensor"));
  REQUIRE_THAT(error_of([] { (void)MillerIndex().to_vec(); }),
               ContainsSubstring("MillerIndex::to_vec: undefined tensor"));
}

TEST_CASE("to_vec has the indices as components, to_normalized_vec their direction",
          "[tensors][MillerIndex]")
{
  const auto m = MillerIndex::create({{1, 2, 2}, {-3, 0, 4}});
  REQUIRE(at::equal(m.to_vec(),
                    at::tensor({1.0, 2.0, 2.0, -3.0, 0.0, 4.0}).reshape({2, 3}).to(at::kDouble)));
  REQUIRE(m.to_vec(kFloat32).scalar_type() == kFloat32);
  REQUIRE(m.to_vec().batch_sizes() == TensorShape{2});
  REQUIRE(
      at::allclose(m.to_normalized_vec(), Vec::create({{1. / 3, 2. / 3, 2. / 3}, {-0.6, 0, 0.8}})));
  REQUIRE(m.to_normalized_vec(kFloat32).scalar_type() == kFloat32);
  REQUIRE(MillerIndex::zeros().to_normalized_vec().isnan().all().item<bool>());
  REQUIRE_THROWS_AS(m.to_normalized_vec(kInt64), NEMLException);
  const auto with_grad = default_tensor_options().requires_grad(true);
  for (const auto & leaf : {m.to_vec(with_grad), m.to_normalized_vec(with_grad)})
    REQUIRE((leaf.requires_grad() && leaf.is_leaf()));
}

TEST_CASE("Operations of MillerIndex give shapes on the meta device, and stay on it",
          "[tensors][MillerIndex]")
{
  const auto m = MillerIndex::zeros({2, 3}, TensorOptions(kInt32).device(at::kMeta));
  for (const at::Tensor & t :
       {at::Tensor(m.reduce()), at::Tensor(m.to_vec()), at::Tensor(m.to_normalized_vec())})
  {
    REQUIRE(t.is_meta());
    REQUIRE(t.sizes() == at::IntArrayRef({2, 3, 3}));
  }
  REQUIRE(m.reduce().scalar_type() == kInt32);
  REQUIRE(m.to_vec().scalar_type() == kFloat64);
}

TEST_CASE("Operations of MillerIndex are the same on a device", "[tensors][MillerIndex][cuda]")
{
  const MillerIndex m(at::randint(-9, 10, {300, 3}, at::kLong)), there(m.to(test::device()));
  REQUIRE(at::equal(there.reduce().cpu(), m.reduce()));
  REQUIRE(there.to_vec().device() == test::device());
  REQUIRE(at::equal(there.to_vec().cpu(), m.to_vec()));
}
} // namespace MillerIndex_test
