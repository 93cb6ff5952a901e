// SPDX-License-Identifier: MIT
#include "neml2/recorded/newton.h"

#include "neml2/recorded/listing.h"
#include "neml2/recorded/source.h"
#include "recorded/RecordedFunction.h"

#include "support/catch.h"

namespace newton_test
{
using namespace neml2;
using test::Number;
using test::RecordedFunction;
using Row = std::vector<double>;

namespace
{
/// The root of x³ + x = a.
RecordedFunction
root(const kernels::NewtonOptions & options = {})
{
  return RecordedFunction(1,
                          [&](const std::vector<Number> & a)
                          {
                            const auto r = [&](const std::vector<Number> & x)
                            { return std::vector{Number(x[0] * x[0] * x[0] + x[0] - a[0])}; };
                            const auto found =
                                recorded::record_newton<1>(r, {Number(1.0)}, {0}, options);
                            return std::vector{found.solution[0], Number(found.iterations)};
                          });
}
} // namespace

TEST_CASE("a recorded newton finds the root of each row, with its derivative", "[recorded]")
{
  RecordedFunction formula = root();
  const test::Program value = formula.value(), jacobian = formula.jacobian();
  const recorded::Evaluator f(formula.recording, value), J(formula.recording, jacobian);
  Row a;
  for (int i = 0; i < 100; i++)
    a.push_back(0.37 * i - 18);
  a[50] = std::numeric_limits<double>::quiet_NaN();
  const Row found = test::run(f, {a}, 100), slope = test::run(J, {a}, 100);
  for (size_t i = 0; i < 100; i++)
  {
    const double x = found[2 * i];
    if (i == 50)
    {
      REQUIRE(std::isnan(x));
      continue;
    }
    REQUIRE(std::abs(x * x * x + x - a[i]) < 1e-13 * (1 + std::abs(a[i])));
    REQUIRE(std::abs(slope[2 * i] * (3 * x * x + 1) - 1) < 1e-13);
    const Row alone = test::run(f, {{a[i]}}, 1);
    REQUIRE(alone == Row{found[2 * i], found[2 * i + 1]});
  }
}

TEST_CASE("a recorded newton stops after the iterations that it may take", "[recorded]")
{
  const RecordedFunction formula = root(kernels::NewtonOptions().max_iterations(2));
  const recorded::Evaluator f(formula.recording, formula.value());
  REQUIRE(std::isnan(test::run(f, {{1e6}}, 1)[0]));
}

TEST_CASE("a residual that does not depend on the unknown is refused", "[recorded]")
{
  const auto constant = []
  {
    RecordedFunction(1,
                     [](const std::vector<Number> & a)
                     {
                       const auto r = [&](const std::vector<Number> &) { return a; };
                       return recorded::record_newton<1>(r, {Number(1.0)}, {0}, {}).solution;
                     });
  };
  REQUIRE_THROWS_WITH(constant(),
                      Catch::Matchers::ContainsSubstring("does not depend on the unknown"));
}

TEST_CASE("a value computed in an iteration is refused outside of it", "[recorded]")
{
  const auto leaks = []
  {
    RecordedFunction(1,
                     [](const std::vector<Number> & a)
                     {
                       std::vector<Number> kept;
                       const auto r = [&](const std::vector<Number> & x)
                       {
                         kept.push_back(x[0] * x[0]);
                         return std::vector{Number(kept.back() - a[0])};
                       };
                       recorded::record_newton<1>(r, {Number(1.0)}, {0}, {});
                       return std::vector{Number(kept.front() + a[0])};
                     });
  };
  REQUIRE_THROWS_WITH(leaks(),
                      Catch::Matchers::ContainsSubstring(
                          "uses a value outside of the iteration in which it was computed"));
}

TEST_CASE("sources and listings have the loop", "[recorded]")
{
  const RecordedFunction formula = root();
  const recorded::Evaluator f(formula.recording, formula.value());
  using Catch::Matchers::ContainsSubstring;
  REQUIRE_THAT(recorded::listing(f), ContainsSubstring("at most 50 times while c"));
  REQUIRE_THAT(recorded::cpp_source(f), ContainsSubstring("for (int it = 0; it < 50 && any(c"));
}
} // namespace newton_test
