// SPDX-License-Identifier: MIT
#include "neml2/core/indexing.h"

#include "neml2/tensors/R2.h"
#include "support/errors.h"

#include <torch/types.h>

#include "support/catch.h"

namespace indexing_test
{
using namespace neml2;
using namespace neml2::indexing;
using Catch::Matchers::ContainsSubstring;
using test::described;
using test::error_of;

namespace
{
/// SR2 (2, 5; 6) of 0, 1, 2, ...
SR2
counting()
{
  return SR2(torch::arange(60, kFloat64).reshape({2, 5, 6}));
}
/// Tensor (3; 3) of int64.
Tensor
seed()
{
  return Tensor(torch::tensor({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}), 1);
}
at::Tensor
ints(const std::vector<int64_t> & v)
{
  return torch::tensor(v, torch::kInt64);
}
} // namespace

TEST_CASE("batch_index: integers drop, None adds, slices keep a batch dimension",
          "[core][indexing]")
{
  const auto s = counting();
  REQUIRE(described(s.batch_index({0})) == "SR2 (5; 6)");
  REQUIRE(described(s.batch_index({0, -1})) == "SR2 (; 6)");
  REQUIRE(described(s.batch_index({Slice(), 3})) == "SR2 (2; 6)");
  REQUIRE(described(s.batch_index({None, 0})) == "SR2 (1, 5; 6)");
  REQUIRE(described(s.batch_index({Slice(), None, Slice(1, 4)})) == "SR2 (2, 1, 3; 6)");
  REQUIRE(described(s.batch_index({Slice(), Slice(None, None, 2)})) == "SR2 (2, 3; 6)");
  REQUIRE(described(s.batch_index({})) == "SR2 (2, 5; 6)");
  REQUIRE(described(s.batch_index({Slice(), Slice(2, 2)})) == "SR2 (2, 0; 6)");
  REQUIRE(torch::equal(s.batch_index({1, 2}), torch::arange(42, 48, kFloat64)));
  REQUIRE(torch::equal(s.batch_index({-1, -3}), s.batch_index({1, 2})));
}

TEST_CASE("Ellipsis in batch_index stands for batch dimensions only", "[core][indexing]")
{
  const auto s = counting();
  REQUIRE(described(s.batch_index({Ellipsis, 1})) == "SR2 (2; 6)");
  REQUIRE(torch::equal(s.batch_index({Ellipsis, 1}), s.select(1, 1)));
  REQUIRE(described(s.batch_index({Ellipsis})) == "SR2 (2, 5; 6)");
  REQUIRE(described(s.batch_index({Ellipsis, None})) == "SR2 (2, 5, 1; 6)");
  REQUIRE(described(s.batch_index({"...", 0})) == "SR2 (2; 6)");
  REQUIRE(described(s.batch_index({0, Ellipsis, 0})) == "SR2 (; 6)");
  SR2 t = s.clone();
  for (const auto & message : {error_of(
                                   [&] {
                                     (void)t.batch_index({Ellipsis, Ellipsis, 0});
                                   }),
                               error_of(
                                   [&] {
                                     t.batch_index_put_({Ellipsis, Ellipsis, 0}, 9);
                                   }),
                               error_of(
                                   [&] {
                                     (void)t.base_index({Ellipsis, Ellipsis, 0});
                                   })})
    REQUIRE_THAT(message, ContainsSubstring("the indices contain Ellipsis 2 times"));
  REQUIRE(torch::equal(t, s));
}

TEST_CASE("base_index addresses the base dimensions and keeps the batch", "[core][indexing]")
{
  const auto s = counting();
  REQUIRE(described(s.base_index({0})) == "Tensor (2, 5;)");
  REQUIRE(described(s.base_index({Slice(0, 3)})) == "Tensor (2, 5; 3)");
  REQUIRE(described(s.base_index({None, Slice(0, 3)})) == "Tensor (2, 5; 1, 3)");
  REQUIRE(described(s.base_index({Ellipsis, 1})) == "Tensor (2, 5;)");
  REQUIRE(described(s.base_index({})) == "Tensor (2, 5; 6)");
  REQUIRE(torch::equal(s.base_index({-1}), s.select(2, 5)));
  const R2 A(torch::arange(18, kFloat64).reshape({2, 3, 3}));
  REQUIRE(torch::equal(A.base_index({0, Slice(1)}), A.select(1, 0).slice(1, 1)));
  REQUIRE(described(A.base_index({Ellipsis, 0})) == "Tensor (2; 3)");
  REQUIRE(torch::equal(A.base_index({Ellipsis, 0}), A.select(2, 0)));
}

TEST_CASE("index lists are made from braces, variables and named lists", "[core][indexing]")
{
  const auto s = counting();
  const Size i = 1, j = 2;
  const TensorIndices named{i, j};
  const TensorIndicesRef ref = named;
  REQUIRE(torch::equal(s.batch_index({i, j}), s.batch_index(named)));
  REQUIRE(torch::equal(s.batch_index(ref), s.batch_index(named)));
}

TEST_CASE("basic indexing gives views", "[core][indexing]")
{
  const auto s = counting();
  s.batch_index({1, Slice(0, 2)}).fill_(-1);
  REQUIRE(s.eq(-1).sum().item<int64_t>() == 12);
  s.base_index({0}).fill_(-2);
  REQUIRE(s.eq(-2).sum().item<int64_t>() == 10);
  REQUIRE(s.batch_index({0}).data_ptr() == s.data_ptr());
  REQUIRE(s.batch_index({}).data_ptr() == s.data_ptr());
}

TEST_CASE("slicing takes a dimension counted within its group", "[core][indexing]")
{
  const auto s = counting();
  REQUIRE(described(s.batch_slice(0, Slice(0, 1))) == "SR2 (1, 5; 6)");
  REQUIRE(described(s.batch_slice(-1, Slice(1, None, 2))) == "SR2 (2, 2; 6)");
  REQUIRE(torch::equal(s.batch_slice(-1, Slice(1, 3)), s.slice(1, 1, 3)));
  REQUIRE(described(s.base_slice(0, Slice(0, 3))) == "Tensor (2, 5; 3)");
  REQUIRE(torch::equal(s.base_slice(-1, Slice(-2, None)), s.slice(2, 4, 6)));
  REQUIRE(described(R2::zeros({4}).base_slice(1, Slice(0, 2))) == "Tensor (4; 3, 2)");
  REQUIRE(s.batch_slice(0, Slice(0, 1)).data_ptr() == s.data_ptr());
  REQUIRE(
      error_of([&] { s.batch_slice(2, Slice()); }) ==
      "batch_slice: The dimension 2 is out of range for SR2 (2, 5; 6): expected one in [-2, 2).");
  REQUIRE_THAT(error_of([&] { s.base_slice(1, Slice()); }),
               ContainsSubstring("base_slice: The dimension 1"));
}

TEST_CASE("boolean masks and index tensors select batch entries", "[core][indexing]")
{
  const auto s = counting();
  const auto mask = torch::tensor({true, false, true, false, true});
  REQUIRE(described(s.batch_index({Slice(), mask})) == "SR2 (2, 3; 6)");
  REQUIRE(torch::equal(s.batch_index({Slice(), mask}), s.index_select(1, ints({0, 2, 4}))));
  const auto both = s.base_index({0}).gt(20);
  REQUIRE(described(s.batch_index({both})) == "SR2 (6; 6)");
  REQUIRE(torch::equal(s.batch_index({both}), s.reshape({10, 6}).slice(0, 4)));
  REQUIRE(described(s.batch_index({both, Ellipsis})) == "SR2 (6; 6)");
  REQUIRE(described(s.batch_index({ints({1, 1, 0})})) == "SR2 (3, 5; 6)");
  const auto pairs = s.batch_index({ints({0, 1}), ints({4, 3})});
  REQUIRE(described(pairs) == "SR2 (2; 6)");
  REQUIRE(torch::equal(pairs, torch::stack({s[0][4], s[1][3]})));
  REQUIRE(described(s.batch_index({Ellipsis, ints({1, 2})})) == "SR2 (2, 2; 6)");
  REQUIRE(described(s.batch_index({true})) == "SR2 (1, 2, 5; 6)");
  const SR2 deep(torch::rand({2, 3, 4, 6}));
  const auto apart =
      deep.batch_index({ints({0, 1}), Slice(), ints({2, 3})}); // torch puts index tensors first
  REQUIRE(described(apart) == "SR2 (2, 3; 6)");
  REQUIRE(torch::equal(apart, deep.index({ints({0, 1}), Slice(), ints({2, 3})})));
}

TEST_CASE("index tensors in base_index never move in front of the batch", "[core][indexing]")
{
  const Tensor t(torch::rand({2, 3, 4, 5}, kFloat64), 1); // (2; 3, 4, 5)
  const auto i = ints({0, 2}), j = ints({1, 3});
  const auto entry = [&](int64_t b, const at::Tensor & r) { return r[b]; };
  const auto expect = [&](const Tensor & r, const std::string & shape, const auto & at_entry)
  {
    REQUIRE(described(r) == shape);
    for (int64_t b = 0; b < 2; b++)
      REQUIRE(torch::equal(entry(b, r), at_entry(entry(b, t))));
  };
  expect(
      t.base_index({i}), "Tensor (2; 2, 4, 5)", [&](const at::Tensor & x) { return x.index({i}); });
  expect(t.base_index({i, j}),
         "Tensor (2; 2, 5)",
         [&](const at::Tensor & x) {
           return x.index({i, j});
         });
  expect(t.base_index({i, Slice(), j}),
         "Tensor (2; 2, 4)",
         [&](const at::Tensor & x) {
           return x.index({i, Slice(), j});
         });
  expect(t.base_index({i, Ellipsis, j}),
         "Tensor (2; 2, 4)",
         [&](const at::Tensor & x) {
           return x.index({i, Ellipsis, j});
         });
  expect(t.base_index({i, 1, j}),
         "Tensor (2; 2)",
         [&](const at::Tensor & x) {
           return x.index({i, 1, j});
         });
  expect(t.base_index({i, torch::tensor(1), j}),
         "Tensor (2; 2)",
         [&](const at::Tensor & x) {
           return x.index({i, 1, j});
         });
  expect(t.base_index({i, j, Ellipsis, ints({4, 4})}),
         "Tensor (2; 2)",
         [&](const at::Tensor & x) {
           return x.index({i, j, ints({4, 4})});
         });
  expect(t.base_index({i, None, j}),
         "Tensor (2; 2, 1, 5)",
         [&](const at::Tensor & x) {
           return x.index({i, None, j});
         });
  const auto square = ints({0, 1, 1, 2}).reshape({2, 2});
  expect(t.base_index({square, Slice(), j}),
         "Tensor (2; 2, 2, 4)",
         [&](const at::Tensor & x) {
           return x.index({square, Slice(), j});
         });
  const auto mask = torch::tensor({true, false, true});
  expect(t.base_index({mask, Slice(), j}),
         "Tensor (2; 2, 4)",
         [&](const at::Tensor & x) {
           return x.index({mask, Slice(), j});
         });
  const auto table = torch::rand({3, 4}).gt(-1); // all twelve
  expect(t.base_index({table}),
         "Tensor (2; 12, 5)",
         [&](const at::Tensor & x) {
           return x.reshape({12, 5});
         });
}

TEST_CASE("indices that do not fit are refused", "[core][indexing]")
{
  const auto s = counting();
  REQUIRE(error_of(
              [&] {
                s.batch_index({0, 0, 0});
              }) == "batch_index: 3 indices for the 2 batch dimensions of SR2 (2, 5; 6). Use "
                    "base_index for base dimensions.");
  REQUIRE(error_of(
              [&] {
                s.base_index({0, 0});
              }) == "base_index: 2 indices for the 1 base dimensions of SR2 (2, 5; 6). Use "
                    "batch_index for batch dimensions.");
  REQUIRE_THAT(error_of([&] { s.batch_index({2}); }),
               ContainsSubstring("batch_index: ") && ContainsSubstring("2"));
  REQUIRE_THAT(error_of([&] { s.base_index({6}); }), ContainsSubstring("base_index: "));
  REQUIRE_THAT(error_of(
                   [&] {
                     s.batch_index({Slice(), torch::tensor({true, false})});
                   }),
               ContainsSubstring("batch_index: "));
  REQUIRE_THAT(error_of([&] { s.batch_index({ints({7})}); }), ContainsSubstring("batch_index: "));
  REQUIRE_THAT(error_of([&] { SR2::zeros().batch_index({0}); }),
               ContainsSubstring("batch_index: 1 indices for the 0 batch dimensions of SR2 (; 6)"));
  REQUIRE_THAT(error_of([&] { SR2().batch_index({0}); }),
               ContainsSubstring("batch_index: undefined tensor"));
  REQUIRE_THAT(error_of([&] { SR2().base_index({0}); }),
               ContainsSubstring("base_index: undefined tensor"));
}

TEST_CASE("seed 003's integer matrix is indexed and written", "[core][indexing]")
{
  auto A = seed();
  REQUIRE(torch::equal(A.batch_index({Slice(0, 2)}), torch::tensor({{1, 2, 3}, {4, 5, 6}})));
  REQUIRE(torch::equal(A.base_index({Slice(1, 3)}), torch::tensor({{2, 3}, {5, 6}, {8, 9}})));
  A.base_index_put_({Slice(1, 3)}, torch::ones({3, 2}));
  REQUIRE(torch::equal(A, torch::tensor({{1, 1, 1}, {4, 1, 1}, {7, 1, 1}})));
  A.batch_index_put_({Slice(0, 2)}, torch::zeros({2, 3}));
  REQUIRE(torch::equal(A, torch::tensor({{0, 0, 0}, {0, 0, 0}, {7, 1, 1}})));
  REQUIRE(A.scalar_type() == kInt64);
}

TEST_CASE("index_put_ writes numbers of every kind", "[core][indexing]")
{
  auto s = SR2::zeros({2, 5});
  s.batch_index_put_({0}, 1);
  s.batch_index_put_({1, Slice(0, 2)}, 2.5);
  s.base_index_put_({Slice(3)}, 4.0f);
  s.base_index_put_({0}, true);
  const auto expected = torch::zeros({2, 5, 6}, kFloat64);
  expected[0].fill_(1);
  expected[1].slice(0, 0, 2).fill_(2.5);
  expected.slice(2, 3).fill_(4);
  expected.select(2, 0).fill_(1);
  REQUIRE(torch::equal(s, expected));
  auto n = seed();
  n.base_index_put_({0}, 5);
  n.batch_index_put_({1, Ellipsis}, -1);
  REQUIRE(torch::equal(n, torch::tensor({{5, 2, 3}, {-1, -1, -1}, {5, 8, 9}})));
}

TEST_CASE("index_put_ writes tensors, which broadcast and take the target's dtype",
          "[core][indexing]")
{
  auto s = SR2::zeros({2, 5}, kFloat32);
  s.batch_index_put_({Slice(), 1}, torch::arange(6, kFloat64));
  REQUIRE(torch::equal(s.select(1, 1), torch::arange(6.0f).expand({2, 6})));
  s.base_index_put_({2}, torch::full({2, 5}, 7, torch::kInt64));
  REQUIRE(s.select(2, 2).eq(7).all().item<bool>());
  s.batch_index_put_({}, SR2::ones());
  REQUIRE(s.eq(1).all().item<bool>());
  s.batch_index_put_({s.base_index({0}).eq(1)}, 3);
  REQUIRE(s.eq(3).all().item<bool>());
  s.batch_index_put_({ints({0, 1}), ints({4, 3})}, torch::zeros({2, 6}));
  REQUIRE(s.eq(0).sum().item<int64_t>() == 12);
  s.base_index_put_({Slice(0, 3)}, SR2::full({2, 5}, 9).base_index({Slice(0, 3)}));
  REQUIRE(s.eq(9).sum().item<int64_t>() == 30);
}

TEST_CASE("index_put_ of another part of the same memory writes what was there", "[core][indexing]")
{
  SR2 s(torch::arange(12, kFloat64).reshape({2, 6}));
  s.base_index_put_({Slice(1, 6)}, s.base_index({Slice(0, 5)}));
  const auto shifted = torch::tensor({0, 0, 1, 2, 3, 4, 6, 6, 7, 8, 9, 10}, kFloat64);
  REQUIRE(torch::equal(s.flatten(), shifted));
  Scalar x(torch::arange(4, kFloat64));
  x.batch_index_put_({Slice(1, 4)}, x.batch_index({Slice(0, 3)}));
  REQUIRE(torch::equal(x, torch::tensor({0, 0, 1, 2}, kFloat64)));
}

TEST_CASE("index_put_ into a tensor that needs a gradient is part of the graph",
          "[core][indexing][autograd]")
{
  const auto x = Scalar::ones({2}, default_tensor_options().requires_grad(true));
  SR2 s = SR2::zeros({2});
  s.base_index_put_({1}, x * 3);
  s.sum().backward();
  REQUIRE(torch::equal(x.grad(), torch::full({2}, 3, kFloat64)));
}

TEST_CASE("index_put_ that does not fit changes nothing", "[core][indexing]")
{
  auto s = counting();
  const auto before = s.clone();
  REQUIRE_THAT(error_of(
                   [&] {
                     s.batch_index_put_({0}, torch::ones({4, 6}));
                   }),
               ContainsSubstring("batch_index_put_: "));
  REQUIRE_THAT(error_of([&] { s.base_index_put_({Slice(0, 3)}, torch::ones({4})); }),
               ContainsSubstring("base_index_put_: "));
  REQUIRE_THAT(error_of([&] { s.batch_index_put_({9}, 1); }),
               ContainsSubstring("batch_index_put_: "));
  REQUIRE_THAT(error_of(
                   [&] {
                     s.batch_index_put_({0, 0, 0}, 1);
                   }),
               ContainsSubstring("batch_index_put_: 3 indices for the 2 batch dimensions"));
  REQUIRE_THAT(error_of([&] { s.base_index_put_({0}, at::Tensor()); }),
               ContainsSubstring("base_index_put_: undefined tensor"));
  REQUIRE_THAT(error_of([&] { SR2().batch_index_put_({0}, 1); }),
               ContainsSubstring("undefined tensor"));
  REQUIRE_THAT(error_of([&] { SR2().base_index_put_({0}, at::ones({6})); }),
               ContainsSubstring("undefined tensor"));
  REQUIRE(torch::equal(s, before));
}

TEST_CASE("A missing entry is an IndexException, a wrong shape is not", "[core][indexing]")
{
  SR2 s = counting();
  REQUIRE_THROWS_AS(s.batch_index({7}), IndexException);
  REQUIRE_THROWS_AS(s.batch_index({0, 0, 0}), IndexException);
  REQUIRE_THROWS_AS(s.base_index({6}), IndexException);
  REQUIRE_THROWS_AS(s.batch_size(2), IndexException);
  REQUIRE_THROWS_AS(s.batch_unsqueeze(5), IndexException);
  REQUIRE_THROWS_AS(s(3, 0), IndexException);
  REQUIRE_THROWS_AS(R2(s).row(5), IndexException);
  REQUIRE_THROWS_AS(s.batch_index_put_({7}, at::zeros({6})), IndexException);
  try
  {
    s.batch_index_put_({0}, at::zeros({5}));
    REQUIRE(false);
  }
  catch (const IndexException &)
  {
    REQUIRE(false);
  }
  catch (const NEMLException &)
  {
  }
}
} // namespace indexing_test
