// SPDX-License-Identifier: MIT
#include "neml2/kernels/newton.h"

#include "neml2/kernels/SR2.h"

#include "support/number.h"

#include "support/catch.h"

namespace newton_test
{
using namespace neml2::kernels;
using neml2::test::close;

namespace
{
constexpr auto square = [](const auto & x, const auto & a) { return x * x - a; };

/// Powell's badly scaled function, with a root near (1.098e-5, 9.106).
constexpr auto badly_scaled = [](const auto & x)
{
  const auto & [a, b] = x;
  return std::tuple(1e4 * a * b - 1.0, exp(-a) + exp(-b) - 1.0001);
};

/// Rosenbrock's function, as two equations.
constexpr auto banana = [](const auto & x)
{
  const auto & [a, b] = x;
  return std::tuple(10.0 * (b - a * a), 1.0 - a);
};

/// Broyden's tridiagonal function of six unknowns, which are the components of a tensor.
constexpr auto tridiagonal = [](const auto & x)
{
  auto r = 0.0 * x;
  for (int i = 0; i < 6; i++)
  {
    r[i] = (3.0 - 2.0 * x[i]) * x[i] + 1.0;
    if (i > 0)
      r[i] = r[i] - x[i - 1];
    if (i < 5)
      r[i] = r[i] - 2.0 * x[i + 1];
  }
  return r;
};
} // namespace

TEST_CASE("Newton's method finds the roots of the literature's functions", "[kernels]")
{
  REQUIRE(close(newton(square, 1.0, 2.0), std::sqrt(2.0), 1e-15));

  const auto [a, b] =
      newton(badly_scaled, std::tuple(0.0, 1.0), NewtonOptions().max_iterations(200));
  INFO(a << " " << b);
  REQUIRE(close(1e5 * a, 1.098159, 1e-6)); // Moré, Garbow, Hillstrom (1981), problem 3
  REQUIRE(close(b, 9.106146, 1e-6));

  const auto [c, d] = newton(banana, std::tuple(-1.2, 1.0)); // problem 1
  REQUIRE(c == 1);
  REQUIRE(close(d, 1.0, 1e-15));

  const auto x = newton(tridiagonal, SR2<double>(-1., -1., -1., -1., -1., -1.)); // problem 30
  const auto r = tridiagonal(x);
  for (int i = 0; i < 6; i++)
    REQUIRE(std::abs(r[i]) < 1e-14);
}

TEST_CASE("Integers are numbers as others", "[kernels]")
{
  REQUIRE(close(newton(square, 1, 2), std::sqrt(2.0), 1e-15));
}

TEST_CASE("The steps of Newton's method converge quadratically", "[kernels]")
{
  double last = 1;
  for (int n = 2; n < 6; n++)
  {
    const auto o = NewtonOptions().max_iterations(n).keep_unconverged().tolerance(0, 0);
    const double error = std::abs(newton(square, 1.0, 2.0, o) - std::sqrt(2.0));
    REQUIRE(error <= 0.36 * last * last + 1e-15);
    last = error;
  }
}

TEST_CASE("The solution has the derivatives of the implicit function", "[kernels]")
{
  using D = Dual<double, 2>;
  D a(2.0), b(5.0);
  a.d[0] = 1;
  b.d[1] = 1;
  const auto report = newton_report(
      [](const auto & x, const auto & p, const auto & q)
      {
        const auto & [u, v] = x;
        return std::tuple(u + v - q, u * v - p);
      },
      std::tuple(0.0, 1.0),
      a,
      b);
  const auto & [u, v] = report.solution; // the solution of u v = p, u + v = q
  REQUIRE(report.converged);
  REQUIRE(close(u.x * v.x, 2.0));
  const double difference = u.x - v.x;
  REQUIRE(close(u.d[0], -1 / difference, 1e-14));
  REQUIRE(close(u.d[1], u.x / difference, 1e-14));
  REQUIRE(close(v.d[0], 1 / difference, 1e-14));
  REQUIRE(close(v.d[1], -v.x / difference, 1e-14));

  REQUIRE(newton([](const auto & x, const auto &, const auto & q) { return x - q; }, 0.0, a, 3.0) ==
          3);
  const D guess(3.0); // the derivatives of the guess are not derivatives of the solution
  REQUIRE(std::is_same_v<decltype(newton(square, guess, 2.0)), double>);
}

TEST_CASE("A report has the norm of the residual at the solution", "[kernels]")
{
  // at a triple root the test of convergence is passed far from the root
  const auto cube =
      newton_report([](const auto & x) { return (x - 1.0) * (x - 1.0) * (x - 1.0); }, 3.0);
  const double error = cube.solution - 1.0;
  REQUIRE((cube.converged && error > 1e-5));
  REQUIRE(close(cube.residual / (error * error * error), 1.0, 1e-9));
  REQUIRE((cube.residual > 1e-13 && cube.residual < 1e-10));
  REQUIRE(newton_report(square, 1.0, 2.0).residual < 1e-15);
  REQUIRE(std::isnan(newton_report(square, 1.0, -1.0).residual));
  constexpr auto two = [](const auto & x, const auto & a)
  {
    const auto & [u, v] = x;
    return std::tuple(u * u - a, v * v - 2.0 * a);
  };
  Dual<double, 1> a(2.0); // also where the solution has derivatives
  a.d[0] = 1;
  const auto options = NewtonOptions().max_iterations(1).keep_unconverged();
  const auto kept = newton_report(two, std::tuple(1.0, 3.0), a, options);
  const auto & [u, v] = kept.solution;
  REQUIRE(close(kept.residual, std::hypot(u.x * u.x - 2.0, v.x * v.x - 4.0), 1e-14));
}

TEST_CASE("A point that does not converge is NaN, and a root that overflows does not count",
          "[kernels]")
{
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double a : {-1.0, nan, 1e300})
  {
    const auto report = newton_report(square, 1.0, a, NewtonOptions().max_iterations(20));
    REQUIRE(!report.converged);
    REQUIRE(std::isnan(report.solution));
  }
  REQUIRE(std::isnan(newton(square, 0.0, 2.0))); // the residual has no slope at the guess
  REQUIRE(newton(square, 0.0, 0.0) == 0);        // but the guess is the root
  REQUIRE(std::isnan(newton(square, nan, 2.0)));
  constexpr auto parallel = [](const auto & x)
  {
    const auto & [a, b] = x;
    return std::tuple(a + b - 1.0, a + b - 2.0);
  };
  REQUIRE(std::isnan(std::get<0>(newton(parallel, std::tuple(0.0, 0.0)))));
}

TEST_CASE("Options hold what was chosen, for the unknown that was meant", "[kernels]")
{
  const auto o = NewtonOptions().bounds_of(2, 0, 1).max_step_of(1, 0.5).max_iterations(7);
  REQUIRE(o.iterations == 7);
  const double inf = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 10; k++)
  {
    const auto limits = o.limits_at(k);
    REQUIRE(limits.lower == (k == 2 ? 0 : -inf));
    REQUIRE(limits.upper == (k == 2 ? 1 : inf));
    REQUIRE(limits.step == (k == 1 ? 0.5 : inf));
  }
}
} // namespace newton_test
