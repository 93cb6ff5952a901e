// SPDX-License-Identifier: MIT
#include "neml2/math/difference.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/Scalar.h"
#include "support/battery.h"
#include "support/device.h"
#include "support/derivatives.h"
#include "support/errors.h"
#include "support/parity.h"
#include "support/values.h"

#include "support/catch.h"

namespace difference_test
{
using namespace neml2;
using core::Accepts;
using test::Arguments;
using test::integers;
using test::numbers;
using test::operation;
using test::same;

namespace
{
/// Differences along the base, and values between two tensors along a new batch or base dimension. The
/// batch shape is that of the arguments, except along a new batch dimension.
const std::vector<test::Operation> &
operations()
{
  static const std::vector<test::Operation> all = []
  {
    constexpr auto numbers = Accepts::numbers, floating = Accepts::floating;
    const auto between = [](Size d)
    {
      return [=](const Arguments & a)
      {
        const at::Tensor steps[] = {a[0],
                                    a[0] + 0.25 * (a[1] - a[0]),
                                    (a[0] + a[1]) / 2,
                                    a[1] - 0.25 * (a[1] - a[0]),
                                    a[1]};
        return at::stack(steps, d);
      };
    };
    const auto powers = [=](Size d)
    { return [=](const Arguments & a) { return at::pow(10.0, between(d)(a)); }; };
    const std::array<TensorShape, 1> one{TensorShape{4, 3, 2}};
    const std::array<TensorShape, 2> two{TensorShape{2, 3}, TensorShape{3}};
    return std::vector<test::Operation>{
        operation<SR2>(
            "base_diff",
            numbers,
            [](const SR2 & a) { return base_diff(a); },
            [](const Arguments & a) { return at::diff(a[0]); }),
        operation<R2>(
            "base_diff",
            numbers,
            [](const R2 & a) { return base_diff(a, 2, 0); },
            [](const Arguments & a) { return at::diff(a[0], 2, -2); }),
        test::operation_on_tensors(
            "base_diff",
            numbers,
            one,
            [](const neml2::Tensor & a) { return base_diff(a, 1, -3); },
            [](const Arguments & a) { return at::diff(a[0], 1, -3); }),
        operation<Scalar, Scalar>(
            "base_linspace",
            floating,
            [](const Scalar & a, const Scalar & b) { return base_linspace(a, b, 5); },
            between(-1)),
        operation<R2, R2>(
            "base_linspace",
            floating,
            [](const R2 & a, const R2 & b) { return base_linspace(a, b, 5, 1); },
            between(-2)),
        operation<SR2, SR2>(
            "base_linspace", // which base_logspace calls
            floating,
            [](const SR2 & a, const SR2 & b) { return base_logspace(a, b, 5, -1); },
            powers(-1)),
        test::operation_on_tensors(
            "base_linspace",
            floating,
            two,
            [](const neml2::Tensor & a, const neml2::Tensor & b) { return base_linspace(a, b, 5); },
            [=](const Arguments & a) {
              return between(-3)({a[0], a[1].unsqueeze(-2).expand_as(a[0])});
            })};
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

TEST_CASE("Differences and values in equal steps pass the battery", "[math][cuda]")
{
  battery.check();
}

TEST_CASE("Differences do not depend on the memory layout", "[math]")
{
  for (const auto & op : operations())
    for (int layout = 0; layout < test::layouts; layout++)
    {
      auto a = test::arguments(op, {{2, 3}});
      Arguments b;
      for (size_t k = 0; k < a.size(); k++)
      {
        a[k] = test::lay_out(test::Layout(layout), a[k], op.base[k].size());
        b.push_back(a[k].contiguous());
      }
      REQUIRE(at::allclose(op.call(a), op.call(b)));
    }
}

TEST_CASE("Differences along the batch have the derivatives of their difference quotients",
          "[math][autograd]")
{
  REQUIRE(test::derivatives_are_right<SR2>(
      [](const SR2 & a)
      { return batch_diff(a * a(0)) * a(1).batch_index({indexing::Slice(0, 1)}); }));
}

TEST_CASE("Differences along the batch give shapes on the meta device", "[math]")
{
  const auto s = SR2::ones({4}, TensorOptions(kFloat64).device(at::kMeta));
  REQUIRE(batch_diff(s).batch_sizes() == TensorShape{3});
  REQUIRE(batch_linspace(s, s, 3, -1).batch_sizes() == TensorShape{4, 3});
}

TEST_CASE("Differences along the batch give the same on a device", "[math][cuda]")
{
  const SR2 s(at::rand({300, 6}, kFloat64));
  REQUIRE(at::allclose(batch_diff(s.to(test::device())).cpu(), batch_diff(s)));
}

TEST_CASE("Differences along the batch keep the type, as many as there are neighbours", "[math]")
{
  const SR2 s(at::rand({2, 5, 6}, kFloat64));
  REQUIRE(at::equal(batch_diff(s), at::diff(s, 1, 1)));
  REQUIRE(at::equal(batch_diff(s, 1, 0), at::diff(s, 1, 0)));
  REQUIRE(at::allclose(batch_diff(s, 3), at::diff(s, 3, 1)));
  REQUIRE(at::equal(batch_diff(s, 0), s));
  REQUIRE(batch_diff(s, 5).batch_sizes() == TensorShape{2, 0});
  REQUIRE(batch_diff(s, 9).batch_sizes() == TensorShape{2, 0});
  REQUIRE(at::equal(batch_diff(integers({1, 4, 9, 16}), 2), integers({2, 2})));
}

TEST_CASE("diff counts all dimensions", "[math]")
{
  const Scalar n(at::rand({2, 5}, kFloat64));
  REQUIRE(at::equal(diff(n), at::diff(n))); // the last batch dimension
  const neml2::Tensor t(at::rand({2, 5, 4}, kFloat64), 1);
  REQUIRE(at::equal(diff(t), base_diff(t)));
  REQUIRE(at::equal(diff(t, 1, 1), base_diff(t, 1, 0)));
  REQUIRE(at::equal(diff(t, 1, 0), batch_diff(t)));
  const SR2 s(at::rand({2, 5, 6}, kFloat64));
  REQUIRE(at::equal(diff(s, 1, -2), batch_diff(s)));
  REQUIRE_THAT(
      test::error_of([&] { diff(s); }),
      Catch::Matchers::StartsWith("diff: dimension -1 of SR2 (2, 5; 6) is a base dimension"));
  REQUIRE_THAT(test::error_of([&] { diff(s, 1, 3); }),
               Catch::Matchers::StartsWith("diff: The dimension 3 is out of range"));
  REQUIRE_THAT(test::error_of([&] { diff(Scalar::ones()); }),
               Catch::Matchers::StartsWith("diff: The dimension -1 is out of range"));
}

TEST_CASE("linspace and logspace as functions are those of the types", "[math]")
{
  const Scalar a = numbers({0, 1}), b = numbers({3, 2});
  REQUIRE(at::equal(batch_linspace(a, b, 4, 1), Scalar::linspace(a, b, 4, 1)));
  REQUIRE(at::equal(batch_linspace(a, b, 4, -1), Scalar::linspace(a, b, 4, -1)));
  REQUIRE(at::equal(batch_logspace(a, b, 4, 1, 2), Scalar::logspace(a, b, 4, 1, 2)));
  REQUIRE(at::equal(batch_logspace(a, b, 4), Scalar::logspace(a, b, 4)));
  const auto r = base_logspace(a, b, 4);
  REQUIRE(r.batch_sizes() == TensorShape{2});
  REQUIRE(at::allclose(r.select(0, 0), numbers({1, 10, 100, 1000})));
  REQUIRE(same(base_linspace(a, b, 1).select(1, 0), {0, 1}));
  // The batch shapes (2, 1; ) and (6; ) do not affect the new dimension
  REQUIRE(base_linspace(a.batch_unsqueeze(-1), Scalar::ones({6}), 6).batch_sizes() ==
          TensorShape{2, 6});
}

TEST_CASE("Differences and steps that are not there are refused", "[math][errors]")
{
  const SR2 s = SR2::ones({2}), one = SR2::ones();
  const Scalar n = Scalar::ones({2});
  const std::pair<std::string, std::string> cases[] = {
      {test::error_of([&] { batch_diff(one); }), "batch_diff: SR2 (; 6) has no batch dimension"},
      {test::error_of([&] { base_diff(n); }), "base_diff: Scalar (2;) has no base dimension"},
      {test::error_of([&] { batch_diff(s, 1, 1); }), "batch_diff: The dimension 1 is out of range"},
      {test::error_of([&] { batch_diff(s, -1); }), "batch_diff: cannot take differences -1 times"},
      {test::error_of([&] { batch_diff(SR2()); }), "batch_diff: undefined tensor"},
      {test::error_of([&] { diff(SR2()); }), "diff: undefined tensor"},
      {test::error_of([&] { base_linspace(n, n, 0); }),
       "base_linspace: expected at least one step"},
      {test::error_of([&] { base_linspace(s, s, 3, 2); }),
       "base_linspace: The dimension 2 is out of range for SR2 (2; 6): expected one in [-2, 2)"},
      {test::error_of([&] { batch_linspace(s, s, 0); }), "linspace: expected at least one step"}};
  for (const auto & [message, part] : cases)
    REQUIRE_THAT(message, Catch::Matchers::StartsWith(part));
}
} // namespace difference_test
