// SPDX-License-Identifier: MIT
#include "neml2/core/shape.h"

#include "neml2/tensors/SSR4.h"
#include "support/errors.h"

#include "support/catch.h"

namespace shape_test
{
using namespace neml2;
using namespace neml2::utils;
using Catch::Matchers::ContainsSubstring;
using test::error_of;

namespace
{
Tensor
made(const TraceableTensorShape & batch, TensorShapeRef base)
{
  return Tensor::zeros(batch, base);
}
} // namespace

TEST_CASE("numel is the product of the sizes, 1 for none", "[core][shape]")
{
  REQUIRE(numel({}) == 1);
  REQUIRE(numel({0}) == 0);
  REQUIRE(numel({2, 3, 4}) == 24);
  REQUIRE(numel({2, 0, 4}) == 0);
}

TEST_CASE("add_shapes concatenates shapes and single sizes", "[core][shape]")
{
  REQUIRE(add_shapes({4, 2}, 7, {1}, 6) == TensorShape{4, 2, 7, 1, 6});
  REQUIRE(add_shapes({4, 2}) == TensorShape{4, 2});
  REQUIRE(add_shapes({}, {}).empty());
  REQUIRE(add_shapes(1, 2, 3, 4, 5, 6, 7, 8) == TensorShape{1, 2, 3, 4, 5, 6, 7, 8});
  const auto s = SR2::zeros({5});
  REQUIRE(add_shapes(s.batch_sizes(), 3) == TensorShape{5, 3});
  REQUIRE(add_shapes(s.batch_sizes(), s.base_sizes()) == TensorShape{5, 6});
}

TEST_CASE("padding adds sizes on the left until there are enough", "[core][shape]")
{
  REQUIRE(pad_prepend({4, 2}, 3) == TensorShape{1, 4, 2});
  REQUIRE(pad_prepend({4, 2}, 2) == TensorShape{4, 2});
  REQUIRE(pad_prepend({4, 2}, 4, 9) == TensorShape{9, 9, 4, 2});
  REQUIRE(error_of(
              [] {
                pad_prepend({4, 2}, 1);
              }) == "pad_prepend: shape [4, 2] is already longer than 1 sizes.");
}

TEST_CASE("a shape of more entries than 64 bits can count is refused", "[core][shape]")
{
  constexpr Size large = Size(1) << 40;
  REQUIRE_THAT(error_of(
                   [] {
                     utils::numel({large, large});
                   }),
               ContainsSubstring("The shape [1099511627776, 1099511627776] has more entries than"));
  REQUIRE_THAT(error_of([] { utils::numel({large, 3, large}); }), ContainsSubstring("64 bits"));
  REQUIRE(utils::numel({large, 0, large}) == 0);
  REQUIRE(utils::numel({Size(1) << 31, Size(1) << 31}) == Size(1) << 62);
}

TEST_CASE("shapes broadcast when aligned sizes are equal, 1 or missing", "[core][shape]")
{
  struct Row
  {
    TensorShape a, b, expected;
  };
  const std::vector<Row> table = {{{}, {}, {}},
                                  {{}, {2, 3}, {2, 3}},
                                  {{2}, {1000, 2}, {1000, 2}},
                                  {{1000, 1}, {2}, {1000, 2}},
                                  {{3, 1}, {1, 5}, {3, 5}},
                                  {{7, 1, 5}, {4, 1}, {7, 4, 5}},
                                  {{0}, {1}, {0}},
                                  {{1}, {0}, {0}},
                                  {{0}, {}, {0}},
                                  {{0, 3}, {4, 1, 1}, {4, 0, 3}}};
  for (const auto & r : table)
  {
    REQUIRE(sizes_broadcastable(r.a, r.b));
    REQUIRE(broadcast_sizes(r.a, r.b) == r.expected);
    REQUIRE(broadcast_sizes(r.b, r.a) == r.expected);
  }
  const std::vector<Row> failures = {
      {{2, 3}, {4}, {}}, {{0}, {5}, {}}, {{1000}, {2}, {}}, {{2, 3}, {3, 3}, {}}};
  for (const auto & r : failures)
  {
    REQUIRE(!sizes_broadcastable(r.a, r.b));
    REQUIRE(!sizes_broadcastable(r.b, r.a));
    REQUIRE_THAT(error_of([&] { broadcast_sizes(r.a, r.b); }),
                 ContainsSubstring("do not broadcast"));
  }
}

TEST_CASE("more than two shapes broadcast with one another", "[core][shape]")
{
  const TensorShape a{5, 1}, b{3}, c{7, 1, 1}, d{2};
  REQUIRE(broadcast_sizes(a, b, c) == TensorShape{7, 5, 3});
  REQUIRE(broadcast_sizes({a, b, c}) == TensorShape{7, 5, 3});
  REQUIRE(sizes_broadcastable(a, b, c));
  REQUIRE(!sizes_broadcastable(a, b, c, d));
  REQUIRE(broadcast_sizes({}) == TensorShape());
}

TEST_CASE("shapes that do not broadcast are told apart by dimension", "[core][shape]")
{
  REQUIRE(error_of(
              [] {
                broadcast_sizes({2, 3}, {4});
              }) == "broadcast_sizes: shapes [2, 3] and [4] do not broadcast: dimension -1 is 3 in "
                    "one and 4 in the "
                    "other. Make them equal, or make one of them 1 (unsqueeze).");
  REQUIRE_THAT(error_of(
                   [] {
                     broadcast_sizes({2, 3}, {5, 3});
                   }),
               ContainsSubstring("dimension -2 is 2 in one and 5 in the other"));
}

TEST_CASE("batch and base shapes of tensors are compared each for itself", "[core][shape]")
{
  const auto a = made({5, 1}, {2}), b = made({3}, {2}), c = made({3}, {1}), d = made({4}, {2});
  REQUIRE(batch_broadcastable(a, b));
  REQUIRE(batch_broadcastable(a, b, c));
  REQUIRE(!batch_broadcastable(a, b, d));
  REQUIRE(base_broadcastable(a, c, d));
  REQUIRE(!base_broadcastable(a, made({}, {3})));
  REQUIRE(broadcastable(a, b));
  REQUIRE(!broadcastable(a, c)); // base shapes must be equal
  REQUIRE(!broadcastable(b, d));
  REQUIRE(broadcast_batch_dim(a, b) == 2);
  REQUIRE(broadcast_batch_dim(SR2::zeros(), Scalar::zeros()) == 0);
  REQUIRE(batch_broadcastable(SSR4::zeros({2}), SR2::zeros({1000, 2})));
  REQUIRE(!batch_broadcastable(SSR4::zeros({2}), SR2::zeros({6})));
}

TEST_CASE("assertions of broadcastability list the shapes of all operands", "[core][shape]")
{
  const auto a = made({5}, {2}), b = made({3}, {2}), c = made({5}, {3});
  REQUIRE(error_of([&] { neml_assert_broadcastable(a, a); }) == "no error");
  REQUIRE(error_of([&] { neml_assert_broadcastable(a, c); }) ==
          "The 2 operands are not broadcastable. Their batch and base shapes are [5][2] [5][3].");
  REQUIRE(error_of([&] { neml_assert_batch_broadcastable(a, c); }) == "no error");
  REQUIRE(error_of([&] { neml_assert_batch_broadcastable(a, a, b); }) ==
          "The 3 operands are not broadcastable. Their batch and base shapes are [5][2] [5][2] "
          "[3][2].");
  REQUIRE(error_of([&] { neml_assert_base_broadcastable(a, b); }) == "no error");
  REQUIRE_THAT(error_of([&] { neml_assert_base_broadcastable(a, c); }),
               ContainsSubstring("2 operands"));
}

TEST_CASE("the _dbg assertions of broadcastability are on without NDEBUG only", "[core][shape]")
{
  const auto a = made({5}, {2}), b = made({3}, {3});
  REQUIRE_THAT(error_of([&] { neml_assert_broadcastable_dbg<true>(a, b); }),
               ContainsSubstring("[5][2] [3][3]"));
  REQUIRE_THAT(error_of([&] { neml_assert_batch_broadcastable_dbg<true>(a, b); }),
               ContainsSubstring("not"));
  REQUIRE_THAT(error_of([&] { neml_assert_base_broadcastable_dbg<true>(a, b); }),
               ContainsSubstring("not"));
  REQUIRE(error_of([&] { neml_assert_broadcastable_dbg<false>(a, b); }) == "no error");
  REQUIRE(error_of([&] { neml_assert_batch_broadcastable_dbg<false>(a, b); }) == "no error");
  REQUIRE(error_of([&] { neml_assert_base_broadcastable_dbg<false>(a, b); }) == "no error");
#ifdef NDEBUG
  REQUIRE(error_of([&] { neml_assert_broadcastable_dbg(a, b); }) == "no error");
#else
  REQUIRE(error_of([&] { neml_assert_broadcastable_dbg(a, b); }) != "no error");
#endif
}
} // namespace shape_test
