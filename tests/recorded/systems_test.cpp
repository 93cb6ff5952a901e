// SPDX-License-Identifier: MIT
#include "neml2/recorded/systems.h"

#include "neml2/recorded/newton.h"
#include "neml2/recorded/listing.h"
#include "neml2/recorded/source.h"
#include "recorded/RecordedFunction.h"

#include "support/catch.h"

namespace systems_test
{
using namespace neml2;
using test::Number;
using test::RecordedFunction;
using Row = std::vector<double>;

namespace
{
/// A formula of a matrix with n rows, and of a right side.
template <int n>
RecordedFunction
solution()
{
  return RecordedFunction(n * n + n,
                          [](const std::vector<Number> & x)
                          {
                            const auto middle = x.begin() + n * n;
                            return recorded::solve<n>({x.begin(), middle}, {middle, x.end()});
                          });
}

/// Random rows of A and b; in some of them the first pivot is 0.
template <int n>
Row
systems(size_t rows)
{
  Row all;
  for (size_t r = 0; r < rows; r++)
    for (size_t k = 0; k < n * n + n; k++)
      all.push_back(n > 1 && k == 0 && r % 3 == 0 ? 0.0
                                                  : std::sin(double(31 * r + 17 * k * k + 1)));
  return all;
}

template <int n>
void
solves()
{
  RecordedFunction formula = solution<n>();
  const test::Program value = formula.value();
  const recorded::Evaluator e(formula.recording, value);
  for (const size_t rows : {1, 5, 64, 130})
  {
    const Row x = systems<n>(rows), y = test::run(e, {x}, int64_t(rows));
    for (size_t r = 0; r < rows; r++)
      for (size_t i = 0; i < n; i++)
      {
        double left = 0, size = 0;
        for (size_t j = 0; j < n; j++)
        {
          const double term = x[r * (n * n + n) + n * i + j] * y[r * n + j];
          left += term;
          size += std::abs(term);
        }
        REQUIRE(std::abs(left - x[r * (n * n + n) + n * n + i]) < 1e-13 * (1 + size));
      }
  }
}

template <int n>
void
differentiates()
{
  RecordedFunction formula = solution<n>(), other = solution<n>();
  const test::Program jacobian = formula.jacobian(), gradient = other.gradient();
  const recorded::Evaluator e(other.recording, other.value()), J(formula.recording, jacobian),
      g(other.recording, gradient);
  const Row x = systems<n>(1);
  const Row found = test::run(J, {x}, 1);
  constexpr size_t m = n * n + n;
  Row w;
  for (size_t i = 0; i < n; i++)
    w.push_back(0.5 + double(i));
  const Row back = test::run(g, {x, w}, 1);
  for (size_t j = 0; j < m; j++)
  {
    Row plus = x, minus = x;
    plus[j] += 1e-6;
    minus[j] -= 1e-6;
    const Row a = test::run(e, {plus}, 1), b = test::run(e, {minus}, 1);
    double sum = 0;
    for (size_t i = 0; i < n; i++)
    {
      const double slope = (a[i] - b[i]) / 2e-6;
      REQUIRE(std::abs(found[i * m + j] - slope) < 1e-6 * (1 + std::abs(slope)));
      sum += w[i] * found[i * m + j];
    }
    REQUIRE(std::abs(back[j] - sum) < 1e-11 * (1 + std::abs(sum)));
  }
}
} // namespace

TEST_CASE("recorded systems are solved with pivots of each row's own", "[recorded]")
{
  solves<1>();
  solves<2>();
  solves<3>();
  solves<4>();
  solves<7>();
  solves<13>();
}

TEST_CASE("solutions of recorded systems have exact derivatives, forwards and backwards",
          "[recorded]")
{
  differentiates<2>();
  differentiates<5>();
  differentiates<8>();
}

TEST_CASE("a singular matrix gives NaN for its row alone", "[recorded]")
{
  RecordedFunction formula = solution<4>();
  const test::Program value = formula.value();
  const recorded::Evaluator e(formula.recording, value);
  Row x = systems<4>(9);
  for (size_t k = 0; k < 16; k++)
    x[4 * 20 + k] = 1;
  const Row y = test::run(e, {x}, 9);
  for (size_t r = 0; r < 9; r++)
    REQUIRE(std::isnan(y[4 * r]) == (r == 4));
}

TEST_CASE("a weight of zero adds nothing, even to the gradient of a singular system", "[recorded]")
{
  RecordedFunction formula = solution<4>();
  const test::Program gradient = formula.gradient();
  const recorded::Evaluator g(formula.recording, gradient);
  const Row none = test::run(g, {Row(20, 1.0), Row(4, 0.0)}, 1);
  for (const double d : none)
    REQUIRE(d == 0);
}

TEST_CASE("a recorded newton of many unknowns factors its matrix in one operation", "[recorded]")
{
  constexpr int n = 6;
  RecordedFunction formula(
      n,
      [](const std::vector<Number> & a)
      {
        const auto r = [&](const std::vector<Number> & x)
        {
          std::vector<Number> y;
          for (size_t i = 0; i < n; i++)
            y.push_back(Number(x[i] * x[i] * x[i] + x[i] + 0.5 * x[(i + 1) % n] - a[i]));
          return y;
        };
        const std::vector<Number> guess(n, Number(0.5));
        return recorded::record_newton<n>(r, guess, std::vector<int>(n, 0), {}).solution;
      });
  const test::Program value = formula.value(), jacobian = formula.jacobian();
  const recorded::Evaluator f(formula.recording, value), J(formula.recording, jacobian);
  size_t needed = 0;
  for (const auto & s : f.operations.systems)
    needed += f.operations.is_needed(size_t(s.node));
  REQUIRE(needed == 3); // a factor, the solve with it, and the solve of the last step of newton
  const std::string source = recorded::cpp_source(J);
  const size_t factor = source.find("LU<6, P>");
  REQUIRE(factor != source.npos);
  REQUIRE(source.find("LU<6, P>", factor + 1) == source.npos); // one factor for all columns
  Row a;
  for (int i = 0; i < 100 * n; i++)
    a.push_back(3 * std::sin(double(i)));
  const Row x = test::run(f, {a}, 100);
  for (size_t r = 0; r < 100; r++)
  {
    for (size_t i = 0; i < n; i++)
    {
      const double u = x[n * r + i], v = x[n * r + (i + 1) % n];
      REQUIRE(std::abs(u * u * u + u + 0.5 * v - a[n * r + i]) < 1e-13);
    }
    const Row alone = test::run(f, {Row(a.begin() + long(n * r), a.begin() + long(n * r + n))}, 1);
    REQUIRE(alone == Row(x.begin() + long(n * r), x.begin() + long(n * r + n)));
  }
  // J ∂r/∂x = I
  const Row slopes = test::run(J, {a}, 100);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
    {
      const double here = 3 * x[j] * x[j] + 1;
      const double product = slopes[n * i + j] * here + 0.5 * slopes[n * i + (j + n - 1) % n];
      REQUIRE(std::abs(product - (i == j)) < 1e-13);
    }
  using Catch::Matchers::ContainsSubstring;
  REQUIRE_THAT(recorded::listing(f), ContainsSubstring(" = factor("));
  REQUIRE_THAT(recorded::cpp_source(f), ContainsSubstring(" = iterate("));
  REQUIRE_THAT(recorded::cpp_source(J), ContainsSubstring(".factor();"));
}
} // namespace systems_test
