// SPDX-License-Identifier: MIT
#include "neml2/math/where.h"
#include "neml2/math/elementwise.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/Vec.h"
#include "support/battery.h"
#include "support/derivatives.h"
#include "support/errors.h"
#include "support/refusals.h"
#include "support/values.h"

#include <cmath>

#include "support/catch.h"

namespace where_test
{
using namespace neml2;
using core::Accepts;
using test::Arguments;
using test::Check;
using test::numbers;
using test::operation;
using test::same;
using test::slopes;

namespace
{
/// Whether each entry is above the number, as a raw tensor.
at::Tensor
above(const at::Tensor & t, double n)
{
  return t.gt(n);
}

/// Operations on one number per batch entry, from which the condition is made, and two tensors. The condition has
/// one truth value per batch entry, or one per component.
const std::vector<test::Operation> &
operations()
{
  static const std::vector<test::Operation> all = []
  {
    const auto entry = [](const Scalar & c, const auto & a, const auto & b)
    { return where(Scalar(above(c, 0.25)), a, b); };
    const auto component = [](const auto & c, const auto & a, const auto & b)
    { return where(neml2::Tensor(above(c, 0.25), c.batch_dim()), a, b); };
    const auto of_type = [](const Vec & c, const Vec & a, const Vec & b)
    { return where(Vec(above(c, 0.25)), a, b); };
    const auto expected = [](int n)
    {
      return [=](const Arguments & a)
      {
        at::Tensor c = a[0].gt(0.25);
        for (int d = 0; d < n; d++)
          c = c.unsqueeze(-1);
        return at::where(c, a[1], a[2]);
      };
    };
    constexpr auto floating = Accepts::floating; // of the number that is compared with 0.25
    const std::array<TensorShape, 3> bases{TensorShape{2, 1}, TensorShape{2}, TensorShape{2, 2}};
    return std::vector<test::Operation>{
        operation<Scalar, Scalar, Scalar>("where", floating, entry, expected(0)),
        operation<Scalar, Vec, Vec>("where", floating, entry, expected(1)),
        operation<Scalar, SSR4, SSR4>("where", floating, entry, expected(2)),
        operation<Vec, Vec, Vec>("where", floating, component, expected(0)),
        operation<Vec, Vec, Vec>("where", floating, of_type, expected(0)),
        operation<SSR4, SSR4, SSR4>("where", floating, component, expected(0)),
        test::operation_on_tensors("where",
                                   floating,
                                   bases,
                                   component,
                                   [=](const Arguments & a)
                                   { return at::where(a[0].gt(0.25), a[1].unsqueeze(-2), a[2]); })};
  }();
  return all;
}

test::Table
all_operations()
{
  return test::without({test::Check::rule, test::Check::refusals}, operations());
}
const test::Battery battery(all_operations);
} // namespace

TEST_CASE("where passes the battery", "[math][cuda]")
{
  battery.check();
}

TEST_CASE("where chooses whole entries of the batch", "[math]")
{
  const SR2 a(at::rand({2, 3, 6}, kFloat64)), b(at::rand({3, 6}, kFloat64));
  const Scalar x(at::tensor({0.2, 0.7, 0.4}, kFloat64));
  const at::Tensor c = above(x, 0.5);
  const auto r = where(c, a, b);
  REQUIRE(r.batch_sizes() == TensorShape{2, 3});
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 3; j++)
      REQUIRE(at::equal(r[i][j], j == 1 ? a[i][j] : b[j]));
  REQUIRE(at::equal(where(Scalar(c), a, b), r));
  REQUIRE(at::equal(where(neml2::Tensor(c, 1), a, b), r));
  REQUIRE(at::equal(where(c, a, 0), where(c, a, SR2::zeros())));
  REQUIRE(at::equal(where(c, 0.5, b), where(c, SR2::full(0.5), b)));
  REQUIRE(where(c, a.to(kFloat32), 0.5).scalar_type() == kFloat32);
}

TEST_CASE("A condition of the type, or of its base shape, chooses component by component", "[math]")
{
  const SR2 a(at::rand({2, 3, 6}, kFloat64)), b(at::rand({3, 6}, kFloat64));
  const at::Tensor c = at::rand({3, 6}, kFloat64) > 0.5, whole = at::rand({2, 3, 6}) > 0.5;
  REQUIRE(at::equal(where(SR2(c), a, b), at::where(c, a, b)));
  REQUIRE(at::equal(where(neml2::Tensor(c, 1), a, b), at::where(c, a, b)));
  REQUIRE(at::equal(where(SR2(whole), a, 0), at::where(whole, a, at::zeros_like(a))));
  REQUIRE(at::equal(where(whole, a, b), at::where(whole, a, b))); // as many dimensions as a
  const auto shear = neml2::Tensor(at::arange(6) > 2, 0); // one row of them for the whole batch
  REQUIRE(at::equal(where(shear, a, 0).slice(-1, 3), a.slice(-1, 3)));
  REQUIRE(where(shear, a, 0).slice(-1, 0, 3).abs().max().item<double>() == 0);
}

TEST_CASE("A raw condition is read by how many dimensions it has, never by their sizes", "[math]")
{
  const at::Tensor six = at::arange(6) > 2;
  const SR2 a = SR2::ones({6}), b = SR2::zeros({6}); // (6; 6)
  const auto rows = six.unsqueeze(-1).expand({6, 6}).to(kFloat64);
  REQUIRE(at::equal(where(six, a, b), rows));                  // one per batch entry
  REQUIRE(at::equal(where(six.unsqueeze(-1), a, b), rows));    // as torch::where: (6, 1)
  REQUIRE(at::equal(where(six.unsqueeze(0), a, b), rows.t())); // (1, 6): components
  REQUIRE(where(six.unsqueeze(-1), Scalar::ones(), 0).batch_sizes() == TensorShape{6, 1});
  REQUIRE(at::equal(where(six[0], SR2::ones(), SR2::zeros()), SR2::zeros()));
  for (const auto & message : {test::error_of([&] { where(six, SR2::ones(), SR2::zeros()); }),
                               test::error_of(
                                   [&] {
                                     where(six.reshape({6, 1, 1}), a, b);
                                   }),
                               test::error_of([&] { where(six, SSR4::ones(), 0); }),
                               test::error_of(
                                   [&] {
                                     where(six.reshape({6, 1}), SSR4::ones({6}), 0);
                                   })})
  {
    REQUIRE_THAT(message, Catch::Matchers::StartsWith("where: the condition is a raw tensor"));
    REQUIRE_THAT(message, Catch::Matchers::ContainsSubstring("Pass Scalar(condition)"));
  }
  REQUIRE(where(Scalar(six), SR2::ones(), SR2::zeros()).batch_sizes() == TensorShape{6});
}

TEST_CASE("where takes the first where its condition holds and broadcasts all three", "[math]")
{
  const auto a = numbers({1, 2, 3}), b = numbers({-1, -2, -3});
  REQUIRE(same(where(above(numbers({1, 0, 1}), 0.5), a, b), {1, -2, 3}));
  const Scalar c(above(at::tensor({1.0, 0.0}, kFloat64).reshape({2, 1}), 0.5));
  const auto s = where(c, a, Scalar(9, kFloat64));
  REQUIRE(s.batch_sizes() == TensorShape{2, 3});
  REQUIRE(same(s.flatten(), {1, 2, 3, 9, 9, 9}));
  const auto v = where(c, Vec::ones(), Vec::zeros({0}));
  REQUIRE(v.batch_sizes() == TensorShape{2, 0});
  REQUIRE(where(c, Vec::ones(), 0).batch_sizes() == TensorShape{2, 1});
  REQUIRE(where(c, Scalar(1, kInt64), Scalar(2, kInt64)).scalar_type() == kInt64);
  REQUIRE(where(c, Scalar(1, c10::kBool), Scalar(0, c10::kBool)).scalar_type() == c10::kBool);
}

TEST_CASE("The condition of where may be a plain truth value", "[math]")
{
  const auto a = numbers({1, 2, 3}), b = numbers({-1, -2, -3});
  for (const bool c : {true, false})
  {
    REQUIRE(at::equal(where(c, a, b), c ? a : b));
    REQUIRE(at::equal(where(c, a, 0.0), c ? a : numbers({0, 0, 0})));
    REQUIRE(at::equal(where(c, 0, b), c ? numbers({0, 0, 0}) : b));
    REQUIRE(where(c, Vec::ones(), Vec::zeros({4})).batch_sizes() == TensorShape{4});
    REQUIRE_THAT(test::error_of([&] { where(c, Scalar(), 0.0); }),
                 Catch::Matchers::StartsWith("where: undefined tensor"));
  }
  REQUIRE(
      test::derivatives_are_right<Vec>([](const Vec & v) { return where(true, sin(v), 0.0 / v); }));
}

TEST_CASE("where keeps NaN to the entries that choose it", "[math]")
{
  const auto x = numbers({NAN, 1, NAN});
  REQUIRE(same(where(above(x, 0), x, 0), {0, 1, 0}));
  REQUIRE(same(where(above(x, 0), 2, x), {NAN, 2, NAN}));
}

TEST_CASE("where passes the gradient to the one it took", "[math][autograd]")
{
  const auto x = numbers({1, 2}).requires_grad_(), y = numbers({3, 4}).requires_grad_();
  const Scalar c(above(numbers({1, 0}), 0.5));
  const auto g = slopes(where(c, Scalar(x) * Scalar(x), Scalar(y)), {x, y});
  REQUIRE(same(g[0], {2, 0}));
  REQUIRE(same(g[1], {0, 1}));
  REQUIRE(same(slopes(g[0], {x})[0], {2, 0}));
  REQUIRE(test::derivatives_are_right<SR2, SR2>(
      [&](const SR2 & a, const SR2 & b) {
        return where(Scalar(above(numbers({1, 0, 1}), 0.5)), exp(a), sin(b));
      }));
  REQUIRE(test::derivatives_are_right<SR2>([&](const SR2 & a)
                                           { return where(c, exp(a), 0) + where(c, 1, sin(a)); }));
}

TEST_CASE("where gives shapes on the meta device", "[math]")
{
  const auto meta = TensorOptions(kFloat32).device(at::kMeta);
  const auto a = SR2::ones({3}, meta);
  const Scalar c(above(Scalar::ones({2, 1}, meta), 0));
  for (const auto & r : {where(c, a, SR2::zeros(meta)), where(c, a, 0), where(c, 0.5, a)})
  {
    REQUIRE(r.is_meta());
    REQUIRE(r.batch_sizes() == TensorShape{2, 3});
    REQUIRE(r.scalar_type() == kFloat32);
  }
}

TEST_CASE("where refuses bad operands and says why", "[math][errors]")
{
  const auto a = numbers({1, 2}), longer = numbers({1, 2, 3});
  const SR2 s = SR2::ones({2});
  const at::Tensor yes = above(a, 0);
  const std::pair<std::string, std::string> cases[] = {
      {test::error_of([&] { where(at::Tensor(), a, a); }), "undefined tensor"},
      {test::error_of([&] { where(yes, Scalar(), a); }), "undefined tensor"},
      {test::error_of([&] { where(yes, 0, Scalar()); }), "undefined tensor"},
      {test::error_of([&] { where(a, a, a); }), "the condition is float64, expected bool"},
      {test::error_of([&] { where(yes, a, a.to(kFloat32)); }), "different dtypes"},
      {test::error_of([&] { where(yes.to(at::kMeta), a, a); }), "different devices"},
      {test::error_of([&] { where(yes, a, longer); }), "[2] and [3] do not broadcast"},
      {test::error_of([&] { where(yes, longer, longer); }), "[2] and [3] do not broadcast"},
      {test::error_of([&] { where(yes, longer, 0); }), "[2] and [3] do not broadcast"},
      {test::error_of([&] { where(above(s.slice(1, 0, 3), 0), s, s); }),
       "the base shape [3] of the condition does not broadcast to the base shape [6]"},
      {test::error_of([&] { where(Vec(above(s.slice(1, 0, 3), 0)), s, s); }), "[3]"},
      {test::error_of([&] { where(SR2(above(s, 0)), a, a); }), "the base shape [6]"},
      {test::error_of([&] { where(SR2(), s, s); }), "undefined tensor"},
      {test::error_of([&] { where(s, s, s); }), "the condition is float64, expected bool"},
      {test::error_of([&] { where(Scalar(yes), longer, 0); }), "[2] and [3] do not broadcast"}};
  for (const auto & [message, part] : cases)
  {
    REQUIRE_THAT(message, Catch::Matchers::StartsWith("where: "));
    REQUIRE_THAT(message, Catch::Matchers::ContainsSubstring(part));
  }
}

TEST_CASE("where of Tensors aligns base dimensions with base dimensions", "[math]")
{
  const at::Tensor u = at::rand({3, 2}, kFloat64), v = at::rand({3, 4, 2}, kFloat64);
  const neml2::Tensor a(u, 1), b(v, 1); // (3; 2) and (3; 4, 2)
  const at::Tensor c = above(at::rand({3}, kFloat64), 0.5);
  REQUIRE(at::equal(where(c, a, b), at::where(c.reshape({3, 1, 1}), u.unsqueeze(1), v)));
  const neml2::Tensor wrong(at::ones({3, 4, 5}, kFloat64), 1);
  REQUIRE_THAT(test::error_of([&] { where(c, b, wrong); }),
               Catch::Matchers::ContainsSubstring("base shapes [4, 2] and [4, 5] do not"));
}
} // namespace where_test
