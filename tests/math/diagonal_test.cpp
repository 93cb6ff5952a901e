// SPDX-License-Identifier: MIT
#include "neml2/math/diagonal.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/Scalar.h"
#include "support/battery.h"
#include "support/derivatives.h"
#include "support/errors.h"
#include "support/parity.h"
#include "support/values.h"

#include "support/catch.h"

namespace diagonal_test
{
using namespace neml2;
using core::Accepts;
using test::Arguments;
using test::operation;

namespace
{
/// Diagonals in the base, of a vector, a matrix and a Tensor.
const std::vector<test::Operation> &
operations()
{
  static const std::vector<test::Operation> all = []
  {
    constexpr auto any = Accepts::any;
    const std::array<TensorShape, 1> base{TensorShape{4, 3, 2}};
    return std::vector<test::Operation>{
        operation<SR2>(
            "base_diag_embed",
            any,
            [](const SR2 & a) { return base_diag_embed(a); },
            [](const Arguments & a) { return at::diag_embed(a[0]); }),
        operation<R2>(
            "base_diag_embed",
            any,
            [](const R2 & a) { return base_diag_embed(a, 1, 0, -1); },
            [](const Arguments & a) { return at::diag_embed(a[0], 1, -3, -1); }),
        operation<SR2>(
            "base_diagonalize",
            any,
            [](const SR2 & a) { return base_diagonalize(a); },
            [](const Arguments & a) { return at::diag_embed(a[0]); }),
        operation<R2>(
            "base_diagonalize",
            any,
            [](const R2 & a) { return base_diagonalize(a, 0); },
            [](const Arguments & a)
            { return at::diag_embed(a[0].transpose(-1, -2)).movedim(-3, -1); }),
        test::operation_on_tensors(
            "base_diag_embed",
            any,
            base,
            [](const neml2::Tensor & a) { return base_diag_embed(a, -2, 1, 0); },
            [](const Arguments & a) { return at::diag_embed(a[0], -2, -3, -4); })};
  }();
  return all;
}

test::Table
all_operations()
{
  return test::without(test::own_rule, operations());
}
const test::Battery battery(all_operations);
} // namespace

TEST_CASE("Diagonals of the base agree with LibTorch's in any memory layout", "[math]")
{
  for (const auto & op : operations())
    for (int layout = 0; layout < test::layouts; layout++)
    {
      const auto x =
          test::lay_out(test::Layout(layout), test::arguments(op, {{2, 3}})[0], op.base[0].size());
      REQUIRE(at::equal(op.call({x}), op.expected({x.contiguous()})));
    }
}

TEST_CASE("Diagonals of the base pass the battery", "[math][cuda]")
{
  battery.check();
}

TEST_CASE("Diagonals of the batch leave the base alone", "[math]")
{
  const SR2 s(at::rand({2, 3, 6}, kFloat64));
  const auto r = batch_diag_embed(s);
  static_assert(std::is_same_v<decltype(batch_diag_embed(s)), SR2>);
  REQUIRE(r.batch_sizes() == TensorShape{2, 3, 3});
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      REQUIRE(at::equal(r.batch_index({indexing::Slice(), i, j}),
                        i == j ? s.batch_index({indexing::Slice(), i}) : SR2::zeros({2})));
  REQUIRE(at::equal(batch_diagonalize(s), r));
  REQUIRE(at::equal(batch_diag_embed(s, 0, 0, -1), r.movedim(1, 0)));
  const auto above = batch_diag_embed(s, 1);
  REQUIRE(above.batch_sizes() == TensorShape{2, 4, 4});
  REQUIRE(at::equal(above.batch_index({indexing::Slice(), 1, 2}),
                    s.batch_index({indexing::Slice(), 1})));
  REQUIRE(at::equal(batch_diag_embed(s, -1).batch_transpose(-1, -2), above));
  const auto first = batch_diagonalize(s, 0);
  REQUIRE(first.batch_sizes() == TensorShape{2, 2, 3});
  REQUIRE(at::equal(first.batch_index({1, 1}), s.batch_index({1})));
  REQUIRE(first.batch_index({0, 1}).abs().max().item<double>() == 0);
  REQUIRE(at::equal(batch_diag_embed(Scalar(at::ones({3}, kInt64))), at::eye(3, kInt64)));
  REQUIRE(batch_diag_embed(SR2::ones({0})).batch_sizes() == TensorShape{0, 0});
  REQUIRE(test::derivatives_are_right<SR2>([](const SR2 & a)
                                           { return batch_diag_embed(a * a(0), 1); }));
}

TEST_CASE("Diagonals of dimensions that are not there are refused", "[math][errors]")
{
  const SR2 s = SR2::ones({2}), one = SR2::ones();
  const Scalar n = Scalar::ones({2});
  const std::pair<std::string, std::string> cases[] = {
      {test::error_of([&] { batch_diag_embed(one); }),
       "batch_diag_embed: SR2 (; 6) has no batch dimension"},
      {test::error_of([&] { base_diag_embed(n); }),
       "base_diag_embed: Scalar (2;) has no base dimension"},
      {test::error_of([&] { batch_diagonalize(one); }),
       "batch_diagonalize: SR2 (; 6) has no batch"},
      {test::error_of([&] { base_diagonalize(n); }), "base_diagonalize: Scalar (2;) has no base"},
      {test::error_of([&] { batch_diag_embed(s, 0, -1, 1); }),
       "batch_diag_embed: the diagonal needs two dimensions"},
      {test::error_of([&] { base_diag_embed(s, 0, 0, -2); }),
       "base_diag_embed: the diagonal needs two dimensions"},
      {test::error_of([&] { batch_diag_embed(s, 0, 0, 2); }),
       "batch_diag_embed: The dimension 2 is out of range"},
      {test::error_of([&] { base_diagonalize(s, 1); }),
       "base_diagonalize: The dimension 1 is out of range"},
      {test::error_of([&] { batch_diag_embed(SR2()); }), "batch_diag_embed: undefined tensor"}};
  for (const auto & [message, part] : cases)
    REQUIRE_THAT(message, Catch::Matchers::StartsWith(part));
}
} // namespace diagonal_test
