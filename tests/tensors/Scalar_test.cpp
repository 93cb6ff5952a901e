// SPDX-License-Identifier: MIT
#include "neml2/tensors/Scalar.h"
#include "support/derivatives.h"
#include "support/parity.h"
#include "support/refusals.h"

#include <cmath>

#include "support/catch.h"

using namespace neml2;
using core::Accepts;
using test::Arguments;
using test::operation;

namespace
{
/// Every operation, with its reference.
const std::vector<test::Operation> &
operations()
{
  static const std::vector<test::Operation> all{
      operation<Scalar>(
          "sqrt",
          Accepts::floating,
          [](const Scalar & a) { return sqrt(a); },
          [](const Arguments & a) { return at::pow(a[0], 0.5); }),
      operation<Scalar>(
          "abs",
          Accepts::numbers,
          [](const Scalar & a) { return abs(a); },
          [](const Arguments & a) { return at::maximum(a[0], -a[0]); })};
  return all;
}

Scalar
numbers(std::initializer_list<double> v)
{
  return Scalar(at::tensor(std::vector<double>(v), at::kDouble));
}
} // namespace

TEST_CASE("Operations of Scalar agree with their definitions", "[tensors][Scalar]")
{
  for (const auto & op : operations())
    REQUIRE(test::agrees_with_reference(op));
}

TEST_CASE("Operations of Scalar are the same fused and composed", "[tensors][Scalar]")
{
  for (const auto & op : operations())
    REQUIRE(test::same_on_both_paths(op));
}

TEST_CASE("Operations of Scalar have the derivatives of their difference quotients",
          "[tensors][Scalar][autograd]")
{
  for (const auto & op : operations())
    REQUIRE(test::first_derivatives_are_right(op));
}

TEST_CASE("Operations of Scalar can be differentiated twice", "[tensors][Scalar][autograd]")
{
  for (const auto & op : operations())
    REQUIRE(test::second_derivatives_are_right(op));
}

TEST_CASE("Operations of Scalar give shapes on the meta device", "[tensors][Scalar]")
{
  for (const auto & op : operations())
    REQUIRE(test::gives_shapes_on_meta(op));
}

TEST_CASE("Operations of Scalar refuse bad operands and say why", "[tensors][Scalar][errors]")
{
  for (const auto & op : operations())
    REQUIRE(test::refuses_bad_operands(op));
}

TEST_CASE("Operations of Scalar on integers are exact", "[tensors][Scalar]")
{
  for (const auto & op : operations())
    if (op.accepts != Accepts::floating)
      REQUIRE(test::is_exact_on_integers(op));
}

TEST_CASE("A Scalar of a number has the options' dtype and no batch", "[tensors][Scalar]")
{
  const Scalar a(2.5, kFloat32);
  REQUIRE(a.scalar_type() == kFloat32);
  REQUIRE(a.dim() == 0);
  REQUIRE(a.batch_dim() == 0);
  REQUIRE(a.item<float>() == 2.5f);
  REQUIRE(Scalar(3, kInt64).item<int64_t>() == 3);
  const auto error =
      test::error_of([] { Scalar(1.0, default_tensor_options().requires_grad(true)); });
  REQUIRE(
      error ==
      "Scalar(number, options): the options request grad. Call requires_grad_() on the result.");
}

TEST_CASE("Every dimension of a Scalar is a batch dimension", "[tensors][Scalar]")
{
  const Scalar a(at::rand({4, 3}, at::kDouble));
  REQUIRE(a.batch_sizes() == TensorShape{4, 3});
  REQUIRE(a.base_dim() == 0);
  const auto t = a.base_unsqueeze_to(2);
  REQUIRE(t.batch_sizes() == TensorShape{4, 3});
  REQUIRE(t.base_sizes() == TensorShapeRef({1, 1}));
}

TEST_CASE("The derivative of a scalar by itself is 1", "[tensors][Scalar]")
{
  REQUIRE(Scalar::identity_map().item<double>() == 1);
  REQUIRE(Scalar::identity_map(kFloat32).scalar_type() == kFloat32);
  REQUIRE(Scalar::identity_map().batch_dim() == 0);
}

TEST_CASE("sqrt and abs keep to the real numbers", "[tensors][Scalar]")
{
  const auto a = numbers({-4, -0.25, 0, 0.25, 4, INFINITY, NAN});
  const auto s = sqrt(a), m = abs(a);
  const double expected_root[] = {NAN, NAN, 0, 0.5, 2, INFINITY, NAN};
  const double expected_magnitude[] = {4, 0.25, 0, 0.25, 4, INFINITY, NAN};
  for (int i = 0; i < 7; i++)
  {
    const double x = s[i].item<double>(), y = m[i].item<double>();
    REQUIRE((std::isnan(expected_root[i]) ? std::isnan(x) : x == expected_root[i]));
    REQUIRE((std::isnan(expected_magnitude[i]) ? std::isnan(y) : y == expected_magnitude[i]));
  }
  Scalar zero = numbers({0});
  zero.requires_grad_();
  REQUIRE(torch::autograd::grad({abs(zero)}, {zero})[0].item<double>() == 0);
  Scalar negative = numbers({-2});
  negative.requires_grad_();
  const auto composed = abs(negative);
  REQUIRE(composed.item<double>() == 2);
  REQUIRE(torch::autograd::grad({composed}, {negative})[0].item<double>() == -1);
}

TEST_CASE("where takes the first where its condition holds and broadcasts all three",
          "[tensors][Scalar]")
{
  const auto a = numbers({1, 2, 3}), b = numbers({-1, -2, -3});
  const auto r = where(at::tensor({1.0, 0.0, 1.0}, at::kDouble) > 0.5, a, b);
  REQUIRE(at::equal(r, at::tensor({1.0, -2.0, 3.0}, at::kDouble)));
  const auto c = at::tensor({1.0, 0.0}, at::kDouble).reshape({2, 1}) > 0.5;
  const auto s = where(c, a, Scalar(9, kFloat64));
  REQUIRE(s.batch_sizes() == TensorShape{2, 3});
  REQUIRE(at::equal(s, at::tensor({1.0, 2.0, 3.0, 9.0, 9.0, 9.0}, at::kDouble).reshape({2, 3})));
  REQUIRE(where(c, Scalar(1, kInt64), Scalar(2, kInt64)).scalar_type() == kInt64);
}

TEST_CASE("where passes the gradient to the one it took", "[tensors][Scalar][autograd]")
{
  const auto a = numbers({1, 2}).requires_grad_(), b = numbers({3, 4}).requires_grad_();
  const auto r = where(at::tensor({1.0, 0.0}, at::kDouble) > 0.5, Scalar(a) * Scalar(a), Scalar(b));
  const auto g = torch::autograd::grad({r.sum()}, {a, b}, {}, true, true);
  REQUIRE(at::equal(g[0], at::tensor({2.0, 0.0}, at::kDouble)));
  REQUIRE(at::equal(g[1], at::tensor({0.0, 1.0}, at::kDouble)));
  REQUIRE(
      at::equal(torch::autograd::grad({g[0].sum()}, {a})[0], at::tensor({2.0, 0.0}, at::kDouble)));
}

TEST_CASE("where refuses bad operands and says why", "[tensors][Scalar][errors]")
{
  const auto a = numbers({1, 2});
  const at::Tensor yes = a > 0;
  const std::pair<std::string, std::string> cases[] = {
      {test::error_of([&] { where(at::Tensor(), a, a); }), "undefined tensor"},
      {test::error_of([&] { where(yes, Scalar(), a); }), "undefined tensor"},
      {test::error_of([&] { where(a, a, a); }), "the condition is float64, expected bool"},
      {test::error_of([&] { where(yes, a, a.to(kFloat32)); }), "different dtypes"},
      {test::error_of(
           [&] {
             where(yes, a, numbers({1, 2, 3}));
           }),
       "[2] and [3] do not broadcast"},
      {test::error_of(
           [&] {
             where(yes, numbers({1, 2, 3}), numbers({1, 2, 3}));
           }),
       "[2] and [3] do not broadcast"}};
  for (const auto & [message, part] : cases)
  {
    REQUIRE_THAT(message, Catch::Matchers::StartsWith("where: "));
    REQUIRE_THAT(message, Catch::Matchers::ContainsSubstring(part));
  }
}
