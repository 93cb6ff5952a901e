// SPDX-License-Identifier: MIT
#include "neml2/math/binary.h"
#include "neml2/math/elementwise.h"
#include "neml2/tensors/MillerIndex.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/Vec.h"
#include "support/battery.h"
#include "support/device.h"
#include "support/derivatives.h"
#include "support/errors.h"
#include "support/pairs.h"
#include "support/parity.h"
#include "support/values.h"

#include <cmath>
#include <optional>

#include "support/catch.h"

namespace binary_test
{
using namespace neml2;
using core::Accepts;
using test::Arguments;
using test::Check;
using test::integers;
using test::numbers;
using test::operation;
using test::same;
using test::slopes;

namespace
{
const test::Table &
operations()
{
  static const test::Table all = []
  {
    test::Table f;
    test::add_pairs(
        f,
        "pow",
        [](const auto & a, const auto & n) { return pow(a, n); },
        [](const at::Tensor & a, const at::Tensor & n) { return at::pow(a, n); });
    test::add_pairs(
        f,
        "fmod",
        [](const auto & a, const auto & b) { return fmod(a, b); },
        [](const at::Tensor & a, const at::Tensor & b) { return a - b * at::trunc(a / b); });
    const auto angle = [](const Arguments & a) { // arg(x + i y)
      return at::imag(at::log(at::complex(a[1], a[0])));
    };
    const auto arctangent = [](const auto & y, const auto & x) { return atan2(y, x); };
    constexpr auto floating = Accepts::floating;
    f.push_back(operation<Scalar, Scalar>("atan2", floating, arctangent, angle));
    f.push_back(operation<SR2, SR2>("atan2", floating, arctangent, angle));
    const auto length = [](const Arguments & a) { return at::sqrt(a[0] * a[0] + a[1] * a[1]); };
    const auto hypotenuse = [](const auto & a, const auto & b) { return hypot(a, b); };
    f.push_back(operation<Scalar, Scalar>("hypot", floating, hypotenuse, length));
    f.push_back(operation<SR2, SR2>("hypot", floating, hypotenuse, length));
    return f;
  }();
  return all;
}

/// Whether the operation is defined and smooth for the arguments that test::values gives it.
bool
is_smooth(const test::Operation & op)
{
  const bool scalars = op.base[0].empty() && op.base[1].empty();
  return scalars && op.name != "fmod";
}

test::Table
all_operations()
{
  test::Table all;
  for (auto op : operations())
  {
    if (!is_smooth(op))
      op = op.without(test::all_derivatives);
    if (op.name == "pow" && !is_smooth(op)) // a power of a negative number is NaN
      op = op.without({test::Check::reference, test::Check::both_paths, test::Check::device});
    if (op.name == "pow" || op.name == "fmod") // negative powers, division by zero
      op = op.without({test::Check::integers});
    all.push_back(op);
  }
  return test::without(test::own_rule, all);
}
const test::Battery battery(all_operations);
} // namespace

TEST_CASE("Functions of two arguments do not depend on the memory layout", "[math]")
{
  for (const auto & op : operations())
    for (int layout = 1; layout < test::layouts; layout++)
      for (const auto dtype : {kFloat64, kFloat32})
      {
        auto a = test::arguments(op, {{2, 3}, {3}}, dtype);
        for (size_t k = 0; k < a.size(); k++)
          a[k] = test::lay_out(test::Layout(layout), a[k], op.base[k].size());
        const auto x = op.call(a), y = op.call({a[0].contiguous(), a[1].contiguous()});
        INFO(op.name << " in layout " << layout);
        REQUIRE(x.dtype() == dtype);
        REQUIRE(at::allclose(x, y, 1e-6, 1e-6, /*equal_nan=*/true));
      }
}

TEST_CASE("Functions of two arguments can be differentiated where they are defined",
          "[math][autograd]")
{
  REQUIRE(test::derivatives_are_right<SR2, SR2>([](const SR2 & y, const SR2 & x)
                                                { return atan2(y, exp(0.3 * x)); }));
  REQUIRE(test::derivatives_are_right<SR2, SR2>([](const SR2 & y, const SR2 & x)
                                                { return hypot(y, exp(0.3 * x)); }));
  REQUIRE(test::derivatives_are_right<SR2, Scalar>([](const SR2 & a, const Scalar & n)
                                                   { return pow(exp(a * 0.3), n); }));
  REQUIRE(test::derivatives_are_right<Vec>([](const Vec & a) { return pow(a, 3) + pow(2.5, a); }));
  REQUIRE(
      test::derivatives_are_right<Vec>([](const Vec & a) { return sin(fmod(0.3 * a + 5, 2)); }));
  REQUIRE(test::derivatives_are_right<Vec, Scalar>(
      [](const Vec & a, const Scalar & b) { return sin(fmod(0.1 * a + 2.6, 0.1 * b + 1)); }));
}

TEST_CASE("A number stands for a tensor in atan2, hypot and fmod", "[math]")
{
  for (const auto dtype : {kFloat64, kFloat32})
  {
    const SR2 a(at::linspace(-3, 2, 24, dtype).view({4, 6})), n = SR2::full(0.75, dtype);
    REQUIRE(at::equal(atan2(a, 0.75), atan2(a, n)));
    REQUIRE(at::equal(atan2(0.75, a), atan2(n, a)));
    REQUIRE(at::equal(hypot(a, 0.75), hypot(a, n)));
    REQUIRE(at::equal(hypot(0.75, a), hypot(n, a)));
    REQUIRE(at::equal(fmod(0.75, a), fmod(n, a)));
    REQUIRE(atan2(a, 1).scalar_type() == dtype);
  }
  REQUIRE(test::derivatives_are_right<Vec>(
      [](const Vec & a)
      { return atan2(a, 0.5) + atan2(2, exp(a)) + hypot(a, 2) + hypot(0.5, a); }));
  REQUIRE(test::derivatives_are_right<Vec>([](const Vec & a)
                                           { return sin(fmod(5.0, 0.1 * a + 2.2)); }));
  REQUIRE(hypot(Tensor::ones({2, 3}, {4, 0}), 1.0).base_sizes() == TensorShape{4, 0});
  REQUIRE(at::equal(fmod(7, integers({2, 3, 5})), integers({1, 1, 2})));
  REQUIRE_THAT(test::error_of([] { fmod(7.5, integers({2})); }),
               Catch::Matchers::ContainsSubstring("dtypes"));
  REQUIRE_THAT(test::error_of([] { atan2(1.0, integers({2})); }),
               Catch::Matchers::StartsWith("atan2: "));
  REQUIRE_THAT(test::error_of([] { hypot(1.0, Scalar()); }),
               Catch::Matchers::StartsWith("hypot: undefined tensor"));
  REQUIRE_THAT(test::error_of([] { hypot(c10::complex<double>(0, 1), numbers({1})); }),
               Catch::Matchers::StartsWith("hypot: "));
}

TEST_CASE("Functions with a number give shapes on the meta device", "[math]")
{
  const auto a = SR2::ones({4}, TensorOptions(kFloat32).device(at::kMeta));
  for (const auto & r : {pow(a, 2),
                         pow(2.0, a),
                         maximum(a, 0.0),
                         minimum(0, a),
                         fmod(a, 2),
                         clamp(a, 0, 1.5),
                         fmod(2, a),
                         atan2(a, 1),
                         hypot(1.5, a)})
  {
    REQUIRE(r.is_meta());
    REQUIRE(r.batch_sizes() == TensorShape{4});
    REQUIRE(r.scalar_type() == kFloat32);
  }
  const auto i = Vec::ones({4}, TensorOptions(kInt64).device(at::kMeta));
  for (const auto & r : {gcd(i, i), normalize_gcd(i)})
    REQUIRE((r.is_meta() && r.batch_sizes() == TensorShape{4} && r.scalar_type() == kInt64));
}

TEST_CASE("Greatest common divisors give the same on a device", "[math][cuda]")
{
  const Vec i(at::randint(-12, 12, {300, 3}, kInt64)), j(at::randint(-12, 12, {300, 3}, kInt64));
  REQUIRE(at::equal(gcd(i.to(test::device()), j.to(test::device())).cpu(), gcd(i, j)));
  REQUIRE(at::equal(normalize_gcd(i.to(test::device())).cpu(), normalize_gcd(i)));
}

TEST_CASE("Functions of two arguments pass the battery", "[math][cuda]")
{
  battery.check();
}

TEST_CASE("Powers and remainders by a number are exact on integers", "[math]")
{
  const auto i = integers({-2, 3, 9007199254740993});
  REQUIRE(at::equal(pow(i, 2).slice(0, 0, 2), integers({4, 9})));
  REQUIRE(at::equal(fmod(i, 2), integers({0, 1, 1})));
}

TEST_CASE("The values of functions of two arguments", "[math]")
{
  REQUIRE(same(atan2(numbers({0, 1, 1, -1, 0}), numbers({0, 1, -1, -1, -1})),
               {0, pi / 4, 0.75 * pi, -0.75 * pi, pi}));
  REQUIRE(same(pow(numbers({0, 2, -2, -2, 4}), numbers({0, 10, 3, 0.5, -0.5})),
               {1, 1024, -8, NAN, 0.5}));
  REQUIRE(same(pow(numbers({3, 4}), -1), {1.0 / 3, 0.25}));
  REQUIRE(same(pow(2, numbers({3, -1, 0.5})), {8, 0.5, 1.4142135623730951}));
  // the sign of the dividend
  REQUIRE(
      same(fmod(numbers({5.5, -5.5, 5.5, -5.5}), numbers({2, 2, -2, -2})), {1.5, -1.5, 1.5, -1.5}));
  REQUIRE(same(fmod(numbers({-7, 7.5, NAN, INFINITY}), 3), {-1, 1.5, NAN, NAN}));
  REQUIRE(same(fmod(numbers({1, 2}), numbers({0, NAN})), {NAN, NAN}));
}

TEST_CASE("hypot neither overflows nor underflows, and has the derivative 0 at 0",
          "[math][autograd]")
{
  const auto a = numbers({3e300, -3e-300, 0, 0, 5, INFINITY, -INFINITY, NAN}),
             b = numbers({4e300, 4e-300, 0, -2, 12, NAN, 1, 1});
  for (const bool fused : {true, false})
  {
    const std::optional<test::WithoutGradientRules> composed =
        fused ? std::optional<test::WithoutGradientRules>()
              : std::make_optional<test::WithoutGradientRules>();
    const auto x = a.clone().requires_grad_(), y = b.clone().requires_grad_();
    const auto h = hypot(Scalar(x), Scalar(y));
    REQUIRE(same(h.slice(0, 0, 1) / 1e300, {5}));
    REQUIRE(same(h.slice(0, 1, 2) / 1e-300, {5}));
    REQUIRE(same(h.slice(0, 2), {0, 2, 13, INFINITY, INFINITY, NAN}));
    const auto g = slopes(h.slice(0, 0, 5), {x, y});
    REQUIRE(same(g[0].slice(0, 0, 5), {0.6, -0.6, 0, 0, 5.0 / 13}));
    REQUIRE(same(g[1].slice(0, 0, 5), {0.8, 0.8, 0, -1, 12.0 / 13}));
    // b²/h³ and a²/h³
    const auto by_a = slopes(g[0].slice(0, 0, 5), {x})[0],
               by_b = slopes(g[1].slice(0, 0, 5), {y})[0];
    REQUIRE(same(by_a.slice(0, 2, 5), {0, 0.5, 144.0 / 2197}));
    REQUIRE(same(by_b.slice(0, 2, 5), {0, 0, 25.0 / 2197}));
    REQUIRE(same(by_a.slice(0, 0, 1) * 1e300, {0.128}));
    REQUIRE(same(by_a.slice(0, 1, 2) * 1e-300, {0.128}));
  }
  REQUIRE(same(hypot(a, b).slice(0, 2), {0, 2, 13, INFINITY, INFINITY, NAN})); // without autograd
  const auto of_float = hypot(Scalar::full(3e30, kFloat32), Scalar::full(4e30, kFloat32));
  REQUIRE(of_float.scalar_type() == kFloat32);
  REQUIRE(at::allclose(of_float, Scalar::full(5e30, kFloat32), 1e-6, 0));
  REQUIRE(test::error_of([] { hypot(Vec::ones({2}), Vec::ones({3})); })
              .rfind("hypot: batch shapes [2] and [3] do not broadcast", 0) == 0);
}

TEST_CASE("fmod has the derivatives 1 and -trunc(a/b)", "[math][autograd]")
{
  const auto x = numbers({7.5, -7.5}).requires_grad_(), y = numbers({2, 2}).requires_grad_();
  const auto g = slopes(fmod(Scalar(x), Scalar(y)), {x, y});
  REQUIRE(same(g[0], {1, 1}));
  REQUIRE(same(g[1], {-3, 3}));
}

TEST_CASE("gcd is that of the absolute values", "[math]")
{
  REQUIRE(at::equal(gcd(integers({12, -12, 0, 0, 7}), integers({18, 18, -5, 0, 13})),
                    integers({6, 6, 5, 0, 1})));
  const auto a = at::randint(-40, 40, {5, 3}, kInt64), b = at::randint(-40, 40, {2, 1, 3}, kInt64);
  REQUIRE(at::equal(gcd(Vec(a), Vec(b)), at::gcd(a, b)));
  const auto n = at::randint(-40, 40, {5}, kInt64);
  const auto r = gcd(Vec(a), Scalar(n));
  REQUIRE(at::equal(r, at::gcd(a, n.unsqueeze(-1))));
  REQUIRE(r.batch_sizes() == TensorShape{5});
  REQUIRE(gcd(Vec(a).to(kInt16), Vec(a).to(kInt16)).scalar_type() == kInt16);
  REQUIRE(test::error_of([&] { gcd(Vec::ones(), Vec::ones()); })
              .rfind("gcd: not defined for dtype float64 (Vec (; 3)). Expected an integer", 0) ==
          0);
  REQUIRE(test::error_of([&] { gcd(Vec(a), Vec()); }).rfind("gcd: undefined tensor", 0) == 0);
  REQUIRE(test::error_of([&] { gcd(Vec(a), Scalar(n.slice(0, 0, 3))); })
              .rfind("gcd: batch shapes [5] and [3] do not broadcast", 0) == 0);
}

TEST_CASE("normalize_gcd divides by what all components have in common", "[math]")
{
  const Vec a(at::tensor(std::vector<int64_t>{4, -2, 6, 0, 0, 5, 3, 5, 7, 0, 0, 0}, kInt64)
                  .reshape({4, 3}));
  const auto expected =
      at::tensor(std::vector<int64_t>{2, -1, 3, 0, 0, 1, 3, 5, 7, 0, 0, 0}, kInt64).reshape({4, 3});
  REQUIRE(at::equal(normalize_gcd(a), expected));
  REQUIRE(at::equal(normalize_gcd(Vec(a.reshape({2, 2, 3}))).flatten(0, 1), expected));
  REQUIRE(at::equal(normalize_gcd(a.to(kFloat64)), expected));                    // becomes integer
  REQUIRE(at::equal(normalize_gcd(Vec(a.to(kFloat64) * (1 - 1e-12))), expected)); // rounded
  REQUIRE(normalize_gcd(a.to(kInt16)).scalar_type() == kInt16);
  REQUIRE(normalize_gcd(Vec::ones({0}, kInt64)).batch_sizes() == TensorShape{0});
  REQUIRE(at::equal(normalize_gcd(integers({-4, 7})), integers({1, 1})));
  const neml2::Tensor m(a.reshape({2, 2, 3}), 1); // over both rows of a matrix
  REQUIRE(at::equal(normalize_gcd(m).flatten(0, 1).slice(0, 2), a.slice(0, 2)));
  REQUIRE(normalize_gcd(m).batch_dim() == 1);
  REQUIRE(test::error_of([&] { normalize_gcd(Vec()); }).rfind("normalize_gcd: undefined", 0) == 0);
  REQUIRE(test::error_of([&] { normalize_gcd(Vec::ones({2}, c10::kBool)); })
              .rfind("normalize_gcd: not defined for dtype bool", 0) == 0);
}

TEST_CASE("Base dimensions of a Tensor are aligned with base dimensions only", "[math]")
{
  const at::Tensor u = at::rand({3, 2}, kFloat64), v = at::rand({3, 4, 2}, kFloat64);
  const neml2::Tensor a(u, 1), b(v, 1); // (3; 2) and (3; 4, 2)
  const auto r = maximum(a, b);
  REQUIRE(r.batch_sizes() == TensorShape{3});
  REQUIRE(at::equal(r, at::maximum(u.unsqueeze(1), v)));
  const neml2::Tensor aligned(u.unsqueeze(1), 1);
  REQUIRE(at::equal(pow(b, a), pow(b, aligned)));
  REQUIRE(at::equal(atan2(a, b), atan2(aligned, b)));
  REQUIRE(at::allclose(pow(b, a), at::pow(v, u.unsqueeze(1)), 1e-15, 0)); // not always the last bit
  REQUIRE(at::allclose(atan2(a, b), at::atan2(u.unsqueeze(1), v), 1e-15, 0));
  REQUIRE(at::equal(clamp(b, 0.0, a), at::minimum(u.unsqueeze(1), v)));
  const Scalar n(at::rand({3}, kFloat64));
  REQUIRE(at::equal(minimum(b, n), at::minimum(v, n.reshape({3, 1, 1}))));
  const neml2::Tensor wrong(at::ones({3, 4, 5}, kFloat64), 1);
  for (const auto & message : {test::error_of([&] { maximum(b, wrong); }),
                               test::error_of([&] { pow(b, wrong); }),
                               test::error_of([&] { fmod(b, wrong); }),
                               test::error_of([&] { clamp(b, b, wrong); }),
                               test::error_of([&] { clamp(b, wrong, 1.0); }),
                               test::error_of([&] { atan2(b, wrong); })})
    REQUIRE_THAT(message,
                 Catch::Matchers::ContainsSubstring("base shapes [4, 2] and [4, 5] do not"));
}

TEST_CASE("Numbers that a function cannot take are refused", "[math][errors]")
{
  const Scalar a(2, kFloat64), i(2, kInt64);
  const CScalar complex(c10::complex<double>(0, 1));
  const std::pair<std::string, std::string> cases[] = {
      {test::error_of([&] { pow(a, complex); }), "pow: the number"},
      {test::error_of([&] { pow(complex, a); }), "pow: the number"},
      {test::error_of([&] { maximum(a, complex); }), "maximum: the number"},
      {test::error_of([&] { minimum(complex, a); }), "minimum: the number"},
      {test::error_of([&] { fmod(a, complex); }), "fmod: the number"},
      {test::error_of([&] { clamp(a, 0, complex); }), "clamp: the number"},
      {test::error_of([&] { clamp(a, complex, 1); }), "clamp: the number"},
      {test::error_of([&] { fmod(i, 0); }), "fmod: ZeroDivisionError"},
      {test::error_of([&] { pow(i, -1); }), "pow: Integers to negative integer powers"},
      {test::error_of([&] { pow(i, -i); }), "pow: some exponents of integers"},
      {test::error_of([&] { pow(2, -i); }), "pow: some exponents of integers"}};
  for (const auto & [message, part] : cases)
    REQUIRE_THAT(message, Catch::Matchers::StartsWith(part));
}

TEST_CASE("The derivative of fmod by the divisor is the number of times that it was subtracted",
          "[math]")
{
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const at::Tensor x = at::tensor({1.0, -1.0, 7.0, 1.0, 1.0}, kFloat64),
                   y = at::tensor({0.1, 0.1, 2.5, infinite, 1e-3}, kFloat64).requires_grad_(true);
  const at::Tensor expected = -((x - x.fmod(y)) / y).detach().round();
  const Scalar r = fmod(Scalar(x), Scalar(y));
  REQUIRE(at::equal(r.detach(), x.fmod(y.detach())));
  at::Tensor(r).sum().backward();
  REQUIRE(at::equal(y.grad(), expected));
  REQUIRE(y.grad()[0].item<double>() == -9);
}
} // namespace binary_test
