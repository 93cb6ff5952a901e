// SPDX-License-Identifier: MIT
#include "neml2/recorded/linear.h"

#include "recorded/Formula.h"

#include "support/catch.h"

namespace linear_test
{
using namespace neml2;
using test::Formula;
using test::Number;
using Row = std::vector<double>;

namespace
{
const auto f = [](const auto & x)
{
  using T = std::decay_t<decltype(x[0])>;
  const T p = pow(T(x[0] + T(2.0)), T(1.5)), q = x[0] * x[1] / (T(1.0) + x[2] * x[2]);
  return std::vector{T(p * exp(q)), T(where(x[1] > x[2], q, p)), T(x[2] - x[0])};
};

Row
jacobian_by_differences(const Row & x)
{
  const auto at = [](const Row & v)
  {
    std::vector<kernels::Dual<double, 1>> d(v.begin(), v.end());
    return f(d);
  };
  Row J(9);
  for (size_t j = 0; j < 3; j++)
  {
    const double h = 1e-6;
    Row plus = x, minus = x;
    plus[j] += h;
    minus[j] -= h;
    const auto a = at(plus), b = at(minus);
    for (size_t i = 0; i < 3; i++)
      J[3 * i + j] = (a[i].x - b[i].x) / (2 * h);
  }
  return J;
}
} // namespace

TEST_CASE("the Jacobian of a recording is that of differences", "[recorded]")
{
  Formula formula(3, f);
  const test::Program jacobian = formula.jacobian();
  const recorded::Evaluator e(formula.recording, jacobian);
  for (const Row & x : {Row{0.3, 0.7, -0.4}, Row{-0.5, 0.1, 0.9}})
  {
    const Row found = test::run(e, {x}, 1), expected = jacobian_by_differences(x);
    for (size_t i = 0; i < 9; i++)
      REQUIRE(std::abs(found[i] - expected[i]) < 1e-8);
  }
}

TEST_CASE("the gradient of a recording is its Jacobian transposed", "[recorded]")
{
  Formula formula(3, f), other(3, f);
  const test::Program jacobian = formula.jacobian(), gradient = other.gradient();
  const recorded::Evaluator J(formula.recording, jacobian), g(other.recording, gradient);
  const Row x{0.3, 0.7, -0.4}, w{0.5, -2.0, 3.0};
  const Row of = test::run(J, {x}, 1), found = test::run(g, {x, w}, 1);
  for (size_t j = 0; j < 3; j++)
    REQUIRE(std::abs(found[j] - w[0] * of[j] - w[1] * of[3 + j] - w[2] * of[6 + j]) < 1e-14);
}

TEST_CASE("a weight of zero adds nothing, even to what is infinite", "[recorded]")
{
  Formula formula(1,
                  [](const auto & x) {
                    return std::vector{Number(sqrt(x[0])), Number(x[0] * x[0])};
                  });
  const test::Program gradient = formula.gradient();
  const recorded::Evaluator g(formula.recording, gradient);
  REQUIRE(test::run(g, {{0.0}, {0.0, 1.0}}, 1)[0] == 0.0);
  REQUIRE(test::run(g, {{4.0}, {0.0, 1.0}}, 1)[0] == 8.0);
}
} // namespace linear_test
