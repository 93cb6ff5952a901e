// SPDX-License-Identifier: MIT
#include "neml2/recorded/interpreter.h"

#include "recorded/RecordedFunction.h"

#include <cstring>

#include "support/catch.h"

namespace interpreter_test
{
using namespace neml2;
using test::Number;
using test::RecordedFunction;
using test::Recording;
using Row = std::vector<double>;

namespace
{
/// A formula with every kind of operation, for plain numbers and for recorded numbers.
const auto everything = [](const auto & v)
{
  using T = std::decay_t<decltype(v[0])>;
  const T a = v[0], b = v[1], c = v[2];
  std::vector<T> r;
  r.push_back(a * b + c);
  r.push_back(a * b - c);
  r.push_back(c - a * b);
  r.push_back(a / (T(2.0) + b * b) - (-c));
  r.push_back(sqrt(T(abs(a))) * exp(T(-b * b)) + sin(c) * cos(a));
  r.push_back(where(a < b, T(maximum(b, c)), T(minimum(a, c))));
  r.push_back(where((a <= b) & !(b == c) | (c != c), a, c));
  r.push_back(tanh(a) + atan(b) + asinh(c) + cbrt(a));
  r.push_back(expm1(a) + log1p(b) + hypot(b, c));
  r.push_back(T(3.0));
  return r;
};

std::vector<double>
numbers(size_t n)
{
  std::vector<double> x;
  for (size_t i = 0; i < n; i++)
    x.push_back(std::sin(double(7 * i + 1)));
  return x;
}

bool
is_near(double a, double b)
{
  return std::abs(a - b) <= 1e-14 * (1 + std::abs(b));
}
} // namespace

TEST_CASE("a recorded formula gives what the formula gives, for any number of rows", "[recorded]")
{
  const RecordedFunction f(3, everything);
  const recorded::Evaluator e(f.recording, f.value());
  for (const int64_t rows : {1, 2, 3, 4, 5, 7, 8, 9, 63, 64, 65, 200})
  {
    const Row x = numbers(size_t(3 * rows));
    const Row y = test::run(e, {x}, rows);
    for (int64_t i = 0; i < rows; i++)
    {
      std::vector<kernels::Dual<double, 1>> v;
      for (int k = 0; k < 3; k++)
        v.emplace_back(x[size_t(3 * i + k)]);
      const auto expected = everything(v);
      for (size_t k = 0; k < expected.size(); k++)
        REQUIRE(is_near(y[size_t(i) * expected.size() + k], expected[k].x));
    }
  }
}

TEST_CASE("a row does not depend on the rows beside it", "[recorded]")
{
  const RecordedFunction f(3, everything);
  const recorded::Evaluator e(f.recording, f.value());
  Row x = numbers(3 * 150);
  const Row whole = test::run(e, {x}, 150);
  const size_t n = f.y.size();
  for (const size_t i : {0, 1, 70, 149})
  {
    const Row alone = test::run(e, {Row(x.begin() + long(3 * i), x.begin() + long(3 * i + 3))}, 1);
    REQUIRE(std::memcmp(alone.data(), &whole[n * i], sizeof(double) * n) == 0);
  }
  for (size_t i = 0; i < 150; i += 2)
    x[3 * i] = std::numeric_limits<double>::quiet_NaN();
  const Row beside = test::run(e, {x}, 150);
  for (size_t i = 1; i < 150; i += 2)
    REQUIRE(std::memcmp(&beside[n * i], &whole[n * i], sizeof(double) * n) == 0);
}

TEST_CASE("arguments that all rows share give the same", "[recorded]")
{
  Recording r;
  recorded::Components a, b, y;
  {
    const Recording::Scope scope(r);
    using recorded::Symbol;
    const Symbol u = Symbol::input(), v = Symbol::input();
    a = {u.id};
    b = {v.id};
    y = {(exp(u) * v + u).id, exp(u).id};
  }
  const recorded::Evaluator e(r, {{a, b}, {y}, {}});
  const Row shared = test::run(e, {{0.25}, numbers(100)}, 100);
  const Row each = test::run(e, {Row(100, 0.25), numbers(100)}, 100);
  REQUIRE(shared == each);
  REQUIRE(shared[1] == std::exp(0.25));
}

TEST_CASE("a sum over rows is that of the results, whatever is beyond the last", "[recorded]")
{
  const RecordedFunction f(1, [](const auto & x) { return std::vector{x[0] * x[0]}; });
  const recorded::Evaluator e(f.recording, f.value(), true);
  for (const size_t rows : {1, 3, 64, 131})
  {
    Row x = numbers(rows);
    double sum = -1, expected = 0;
    for (const double v : x)
      expected += v * v;
    double * const data[] = {x.data(), &sum};
    const int64_t stride[] = {1, 0};
    e.loop().run(&e, data, stride, int64_t(rows));
    REQUIRE(is_near(sum, expected));
  }
}

TEST_CASE("operations that do not change a result are not recorded", "[recorded]")
{
  const RecordedFunction f(
      2,
      [](const auto & x)
      {
        const Number one(1.0);
        return std::vector{Number(x[0] * one + x[1]), Number(x[1] + x[0] * one)};
      });
  REQUIRE(f.y[0] == f.y[1]);
  const recorded::Evaluator e(f.recording, f.value());
  REQUIRE(test::run(e, {{0.5, 0.25}}, 1) == Row{0.75, 0.75});
  // 0 times a number is not 0, since the number may be infinite.
  const RecordedFunction g(1,
                           [](const auto & x) { return std::vector{Number(Number(0.0) * x[0])}; });
  const recorded::Evaluator z(g.recording, g.value());
  REQUIRE(std::isnan(test::run(z, {{std::numeric_limits<double>::infinity()}}, 1)[0]));
}

TEST_CASE("numbers of a formula are refused outside of it", "[recorded]")
{
  REQUIRE_THROWS_WITH(recorded::Symbol(1.0),
                      Catch::Matchers::ContainsSubstring("no formula is recorded"));
}
TEST_CASE("products and quotients of a recorded formula round as numbers do", "[recorded]")
{
  const RecordedFunction f(2,
                           [](const auto & v)
                           {
                             using T = std::decay_t<decltype(v[0])>;
                             return std::vector<T>{v[0] * v[0] - v[1] * v[1],
                                                   v[0] * v[1] - v[0] * v[1],
                                                   v[0] / v[1],
                                                   v[0] / v[1] + v[0] * v[1]};
                           });
  const recorded::Evaluator e(f.recording, f.value());
  for (int k = 1; k < 1000; k++)
  {
    const double x = 49.0 / k, y = 7.0 + k / 3.0;
    const volatile double quotient = x / y, product = x * y;
    REQUIRE(test::run(e, {{x, x}}, 1)[0] == 0);
    const auto r = test::run(e, {{x, y}}, 1);
    REQUIRE(r[1] == 0);
    REQUIRE(r[2] == quotient);
    REQUIRE(r[3] == quotient + product);
  }
}

} // namespace interpreter_test
