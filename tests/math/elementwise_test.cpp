// SPDX-License-Identifier: MIT
#include "neml2/math/elementwise.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/Vec.h"
#include "support/battery.h"
#include "support/parity.h"
#include "support/values.h"

#include <cmath>

#include "support/catch.h"

namespace elementwise_test
{
using namespace neml2;
using core::Accepts;
using test::Arguments;
using test::Check;
using test::numbers;
using test::same;
using test::slopes;

namespace
{
using NumberFunction = double (*)(double);
using TensorFunction = at::Tensor (*)(const at::Tensor &);

/// The numbers for which a function is defined and smooth.
enum class Domain
{
  all, ///< all numbers, perhaps except 0
  positive,
  above_one
};

/// A function of one argument, and the same function of a number in the standard library and in LibTorch.
struct Function
{
  test::Operation op;
  NumberFunction number;
  TensorFunction tensor;
  Domain domain;
};

double
sign_of(double a)
{
  return a > 0 ? 1 : a < 0 ? -1 : 0;
}

/// The function for a type without base dimensions, with one and with two, and for Tensor.
template <class F>
void
add(std::vector<Function> & all,
    const char * name,
    Domain domain,
    const F & f,
    NumberFunction number,
    TensorFunction tensor,
    Accepts accepts = Accepts::floating)
{
  all.push_back({test::operation<Scalar>(name, accepts, f), number, tensor, domain});
  all.push_back({test::operation<Vec>(name, accepts, f), number, tensor, domain});
  all.push_back({test::operation<SSR4>(name, accepts, f), number, tensor, domain});
  const std::array<TensorShape, 1> base{TensorShape{2, 2}};
  all.push_back({test::operation_on_tensors(name, accepts, base, f), number, tensor, domain});
}

const std::vector<Function> &
functions()
{
  static const std::vector<Function> all_functions = []
  {
    std::vector<Function> f;
    const auto all = Domain::all, positive = Domain::positive;
    const auto numbers = Accepts::numbers;
    add(
        f, "abs", all, [](const auto & a) { return abs(a); }, std::abs, at::abs, numbers);
    add(
        f, "sign", all, [](const auto & a) { return sign(a); }, sign_of, at::sign, numbers);
    add(
        f,
        "heaviside",
        all,
        [](const auto & a) { return heaviside(a); },
        [](double a) { return (sign_of(a) + 1) / 2; },
        [](const at::Tensor & a) { return (at::sign(a) + 1) / 2; });
    add(
        f,
        "macaulay",
        all,
        [](const auto & a) { return macaulay(a); },
        [](double a) { return std::max(a, 0.0); },
        at::relu);
    add(
        f,
        "dmacaulay",
        all,
        [](const auto & a) { return dmacaulay(a); },
        [](double a) { return a > 0 ? 1.0 : 0.0; },
        [](const at::Tensor & a) { return a.gt(0).to(a.scalar_type()); });
    add(
        f, "sqrt", positive, [](const auto & a) { return sqrt(a); }, std::sqrt, at::sqrt);
    add(
        f,
        "cbrt",
        all,
        [](const auto & a) { return cbrt(a); },
        std::cbrt,
        [](const at::Tensor & a) { return at::sign(a) * at::pow(at::abs(a), 1.0 / 3); });
    add(
        f, "exp", all, [](const auto & a) { return exp(a); }, std::exp, at::exp);
    add(
        f, "expm1", all, [](const auto & a) { return expm1(a); }, std::expm1, at::expm1);
    add(
        f, "log", positive, [](const auto & a) { return log(a); }, std::log, at::log);
    add(
        f, "log1p", all, [](const auto & a) { return log1p(a); }, std::log1p, at::log1p);
    add(
        f, "log10", positive, [](const auto & a) { return log10(a); }, std::log10, at::log10);
    add(
        f,
        "deg2rad",
        all,
        [](const auto & a) { return deg2rad(a); },
        [](double a) { return a / 180 * pi; },
        at::deg2rad);
    add(
        f,
        "rad2deg",
        all,
        [](const auto & a) { return rad2deg(a); },
        [](double a) { return a / pi * 180; },
        at::rad2deg);
    add(
        f, "sin", all, [](const auto & a) { return sin(a); }, std::sin, at::sin);
    add(
        f, "cos", all, [](const auto & a) { return cos(a); }, std::cos, at::cos);
    add(
        f, "tan", all, [](const auto & a) { return tan(a); }, std::tan, at::tan);
    add(
        f, "asin", all, [](const auto & a) { return asin(a); }, std::asin, at::asin);
    add(
        f, "acos", all, [](const auto & a) { return acos(a); }, std::acos, at::acos);
    add(
        f, "atan", all, [](const auto & a) { return atan(a); }, std::atan, at::atan);
    add(
        f, "sinh", all, [](const auto & a) { return sinh(a); }, std::sinh, at::sinh);
    add(
        f, "cosh", all, [](const auto & a) { return cosh(a); }, std::cosh, at::cosh);
    add(
        f, "tanh", all, [](const auto & a) { return tanh(a); }, std::tanh, at::tanh);
    add(
        f, "asinh", all, [](const auto & a) { return asinh(a); }, std::asinh, at::asinh);
    add(
        f,
        "acosh",
        Domain::above_one,
        [](const auto & a) { return acosh(a); },
        std::acosh,
        at::acosh);
    add(
        f, "atanh", all, [](const auto & a) { return atanh(a); }, std::atanh, at::atanh);
    return f;
  }();
  return all_functions;
}

/// The function of the values of test::values, mapped into (0.2, 1), (-1, -0.2) or (1.2, 2).
test::Operation
within(const Function & f, bool negative = false)
{
  test::Operation op = f.op;
  const double shift = f.domain == Domain::above_one ? 1.4 : 0.4, sign = negative ? -1 : 1;
  const auto bring = [=](const at::Tensor & a) { return a.mul(0.15).add_(shift).mul_(sign); };
  op.call = [=](const Arguments & a) { return f.op.call({bring(a[0])}); };
  op.expected = [=](const Arguments & a) { return f.tensor(bring(a[0])); };
  return op;
}

test::Table
where_smooth(bool negative)
{
  test::Table all;
  for (const auto & f : functions())
    if (!negative || f.domain == Domain::all)
      all.push_back(within(f, negative));
  return test::without({test::Check::rule, test::Check::refusals, test::Check::integers}, all);
}
const test::Battery battery([] { return where_smooth(false); });

/// The functions themselves, for any numbers.
test::Table
everywhere()
{
  test::Table all;
  for (const auto & f : functions())
    all.push_back(f.op);
  return test::without({test::Check::reference,
                        test::Check::both_paths,
                        test::Check::rule,
                        test::Check::first_derivative,
                        test::Check::second_derivative,
                        test::Check::device},
                       all);
}

/// Whether the function agrees with the standard library's on every entry, in any memory layout.
test::Verdict
agrees_on_every_entry(const Function & f)
{
  for (const auto dtype : {kFloat64, kFloat32})
    for (const auto & batches : test::batches_for(f.op))
      for (int layout = 0; layout < test::layouts; layout++)
      {
        const auto x = test::lay_out(
            test::Layout(layout), test::arguments(f.op, batches, dtype)[0], f.op.base[0].size());
        at::Tensor expected = x.to(kFloat64).contiguous().clone();
        double * const p = expected.data_ptr<double>();
        for (int64_t i = 0; i < expected.numel(); i++)
          p[i] = f.number(p[i]);
        const auto y = f.op.call({x});
        const double tolerance = dtype == kFloat64 ? 1e-13 : 1e-5;
        if (y.dtype() != dtype || y.sizes() != x.sizes() ||
            TensorShape(y.batch_sizes()) != batches[0] ||
            !at::allclose(
                y.to(TensorOptions(kFloat64)), expected, tolerance, tolerance, /*equal_nan=*/true))
          return test::no(f.op.name, " gives ", y, "expected\n", expected);
      }
  return {};
}
} // namespace

TEST_CASE("Functions of one argument are the standard library's, entry by entry", "[math]")
{
  for (const auto & f : functions())
    REQUIRE(agrees_on_every_entry(f));
}

TEST_CASE("Functions of one argument pass the battery", "[math][cuda]")
{
  battery.check();
  test::check_operations(where_smooth(true));
  test::check_operations(everywhere());
}

TEST_CASE("The values of the tables", "[math]")
{
  const double e = 2.718281828459045, r = std::sqrt(0.5);
  REQUIRE(same(exp(numbers({0, 1, -INFINITY, INFINITY, NAN})), {1, e, 0, INFINITY, NAN}));
  REQUIRE(same(log(numbers({1, e, 0, -1, INFINITY})), {0, 1, -INFINITY, NAN, INFINITY}));
  REQUIRE(same(log10(numbers({1, 1000, 0, -1, NAN})), {0, 3, -INFINITY, NAN, NAN}));
  REQUIRE(same(expm1(numbers({0, 1, -INFINITY, INFINITY, NAN})), {0, e - 1, -1, INFINITY, NAN}));
  REQUIRE(same(log1p(numbers({0, e - 1, -1, -2, INFINITY})), {0, 1, -INFINITY, NAN, INFINITY}));
  for (const double x : {1e-300, -1e-12, 1e-10}) // series: to two terms exact
  {
    REQUIRE(same(expm1(numbers({x})) / x, {1 + x / 2}));
    REQUIRE(same(log1p(numbers({x})) / x, {1 - x / 2}));
  }
  REQUIRE(same(deg2rad(numbers({0, 180, -45, 360, NAN})), {0, pi, -pi / 4, 2 * pi, NAN}));
  REQUIRE(same(rad2deg(numbers({0, pi, -pi / 4, 2 * pi, NAN})), {0, 180, -45, 360, NAN}));
  REQUIRE(same(sin(numbers({0, pi / 6, pi / 2, -pi / 4, INFINITY})), {0, 0.5, 1, -r, NAN}));
  REQUIRE(same(cos(numbers({0, pi / 3, pi, pi / 4, INFINITY})), {1, 0.5, -1, r, NAN}));
  REQUIRE(same(tan(numbers({0, pi / 4, -pi / 4, INFINITY})), {0, 1, -1, NAN}));
  REQUIRE(same(asin(numbers({0, 1, -0.5, 1.1})), {0, pi / 2, -pi / 6, NAN}));
  REQUIRE(same(acos(numbers({0, -1, 0.5, -1.1})), {pi / 2, pi, pi / 3, NAN}));
  REQUIRE(same(atan(numbers({0, 1, INFINITY, -INFINITY})), {0, pi / 4, pi / 2, -pi / 2}));
  REQUIRE(same(sinh(numbers({0, std::log(2.0), -INFINITY})), {0, 0.75, -INFINITY}));
  REQUIRE(same(cosh(numbers({0, std::log(2.0), -INFINITY})), {1, 1.25, INFINITY}));
  REQUIRE(same(tanh(numbers({0, std::log(2.0), -INFINITY, NAN})), {0, 0.6, -1, NAN}));
  REQUIRE(same(asinh(numbers({0, 0.75})), {0, std::log(2.0)}));
  REQUIRE(same(acosh(numbers({1, 1.25, 0.5})), {0, std::log(2.0), NAN}));
  REQUIRE(same(atanh(numbers({0, 0.6, 1, -1, 2})), {0, std::log(2.0), INFINITY, -INFINITY, NAN}));
}

TEST_CASE("Roots and abs keep to the real numbers", "[math]")
{
  const auto a = numbers({-4, -0.25, 0, 0.25, 4, INFINITY, NAN});
  REQUIRE(same(sqrt(a), {NAN, NAN, 0, 0.5, 2, INFINITY, NAN}));
  REQUIRE(same(abs(a), {4, 0.25, 0, 0.25, 4, INFINITY, NAN}));
  REQUIRE(
      same(cbrt(numbers({-27, -0.125, 0, 8, -INFINITY, NAN})), {-3, -0.5, 0, 2, -INFINITY, NAN}));
  const auto x = numbers({-2, 0, 2}).requires_grad_();
  REQUIRE(same(slopes(abs(Scalar(x)), {x})[0], {-1, 0, 1}));
  const auto y = numbers({-8, 0, 8}).requires_grad_();
  REQUIRE(same(slopes(cbrt(Scalar(y)), {y})[0], {1.0 / 12, INFINITY, 1.0 / 12}));
}

TEST_CASE("sign, heaviside and macaulay at 0, at infinity and of NaN", "[math]")
{
  const auto a = numbers({-INFINITY, -2, -0.0, 0, 3, INFINITY, NAN});
  for (const bool differentiated : {false, true})
  {
    const Scalar x(a.clone().requires_grad_(differentiated));
    REQUIRE(same(sign(x), {-1, -1, 0, 0, 1, 1, NAN}));
    REQUIRE(same(heaviside(x), {0, 0, 0.5, 0.5, 1, 1, NAN}));
    REQUIRE(same(dmacaulay(x), {0, 0, 0.5, 0.5, 1, 1, NAN}));
    REQUIRE(same(macaulay(x), {0, 0, 0, 0, 3, INFINITY, NAN}));
  }
  REQUIRE(same(macaulay(Scalar::full({1}, 40000.0, kFloat16)).to(kFloat64), {40000}));
}

TEST_CASE("macaulay has the slope heaviside, 1/2 at 0, and heaviside the slope 0",
          "[math][autograd]")
{
  const auto x = numbers({-2, 0, 3, -INFINITY, INFINITY}).requires_grad_();
  const Scalar a(x);
  const auto slope = slopes(macaulay(a), {x})[0];
  REQUIRE(same(slope, {0, 0.5, 1, 0, 1}));
  REQUIRE(at::equal(slope, heaviside(a)));
  for (const auto & y : {sign(a), heaviside(a), dmacaulay(a)})
    REQUIRE(same(slopes(y, {x})[0], {0, 0, 0, 0, 0}));
}

TEST_CASE("The functions keep the identities between them", "[math]")
{
  const auto u = at::rand({5, 6}, kFloat64);
  const SR2 x(u + 0.1), y(u.flip(0) - 0.5);
  REQUIRE(at::allclose(exp(log(x)), x));
  REQUIRE(at::allclose(expm1(y), exp(y) - 1.0));
  REQUIRE(at::allclose(log1p(expm1(y)), y));
  REQUIRE(at::allclose(log10(x) * std::log(10.0), log(x)));
  REQUIRE(at::allclose(pow(sin(x), 2) + pow(cos(x), 2), SR2::ones({5})));
  REQUIRE(at::allclose(tan(x), sin(x) / cos(x)));
  REQUIRE(at::allclose(asin(y) + acos(y), SR2::full({5}, pi / 2)));
  REQUIRE(at::allclose(atan(y), atan2(y, SR2::ones())));
  REQUIRE(at::allclose(pow(cosh(y), 2) - pow(sinh(y), 2), SR2::ones({5})));
  REQUIRE(at::allclose(tanh(y), sinh(y) / cosh(y)));
  REQUIRE(at::allclose(asinh(sinh(y)), y));
  REQUIRE(at::allclose(acosh(cosh(x)), x));
  REQUIRE(at::allclose(atanh(tanh(y)), y));
  REQUIRE(at::allclose(pow(x, 0.5), sqrt(x)));
  REQUIRE(at::allclose(pow(cbrt(y), 3), y));
  REQUIRE(at::allclose(pow(x, 1.7), exp(1.7 * log(x))));
  REQUIRE(at::allclose(atan2(sin(y), cos(y)), y));
  REQUIRE(at::equal(macaulay(y) - macaulay(-y), y));
  REQUIRE(at::equal(macaulay(y), maximum(y, 0.0)));
  REQUIRE(at::equal(maximum(x, y) + minimum(x, y), x + y));
  REQUIRE(at::equal(maximum(y, -y), abs(y)));
}
} // namespace elementwise_test
