// SPDX-License-Identifier: MIT
#include "neml2/kernels/interpolation.h"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/number.h"

#include "support/catch.h"

using namespace neml2;
using namespace neml2::kernels;
using test::close;

namespace
{
constexpr double NaN = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr auto linear = Interpolant::linear, cubic = Interpolant::monotone_cubic;
constexpr std::array<Interpolant, 2> interpolants{linear, cubic};
constexpr std::array<Beyond, 3> all_beyond{Beyond::constant, Beyond::extrapolate, Beyond::nan};

template <class T, size_t n>
constexpr Components<T, int(n)>
row(const std::array<double, n> & a)
{
  Components<T, int(n)> r;
  for (size_t i = 0; i < n; i++)
    r[int(i)] = T(a[i]);
  return r;
}

/// The values of f at the abscissae.
template <size_t n, class F>
constexpr std::array<double, n>
sampled(const std::array<double, n> & xs, const F & f)
{
  std::array<double, n> r{};
  for (size_t i = 0; i < n; i++)
    r[i] = f(xs[i]);
  return r;
}

constexpr std::array<double, 5> xs{-1, 0, 0.5, 2, 4}, ys{3, 1, 1.5, 4, -2};

/// The data set RPN 14 of Fritsch and Carlson (1980), table 1.
constexpr std::array<double, 9> rpn_x{7.99, 8.09, 8.19, 8.7, 9.2, 10, 12, 15, 20},
    rpn_y{0, 2.76429e-5, 4.37498e-2, 0.169183, 0.469428, 0.943740, 0.998636, 0.999919, 0.999994};

/// Points within the range of a table and outside it; none is a point of the table.
template <size_t n>
std::vector<double>
points_of(const std::array<double, n> & table)
{
  std::vector<double> r{table[0] - 0.7, table[n - 1] + 0.7};
  for (size_t i = 1; i < n; i++)
    for (const double t : {1e-3, 0.21, 0.5, 0.83, 0.999})
      r.push_back(table[i - 1] + t * (table[i] - table[i - 1]));
  return r;
}

template <class F>
double
slope(const F & f, double x)
{
  const double h = 1e-6 * (1 + std::fabs(x));
  return (f(x + h) - f(x - h)) / (2 * h);
}

template <class F>
std::string
refusal(const F & f)
{
  try
  {
    f();
  }
  catch (const std::invalid_argument & e)
  {
    return e.what();
  }
  return "no error";
}
} // namespace

TEST_CASE("A table of a line gives the line", "[kernels][interpolation]")
{
  constexpr auto line = [](double x) { return 2 * x - 3; };
  constexpr auto on_line_ys = sampled(xs, line);
  static_assert(close(interpolate(1.2, xs, on_line_ys), line(1.2)));
  static_assert(close(interpolate(1.2, xs, on_line_ys, cubic), line(1.2)));
  static_assert(close(interpolate(9, xs, on_line_ys, cubic, Beyond::extrapolate), line(9)));
  for (const auto interpolant : interpolants)
    for (const double x : points_of(xs))
    {
      REQUIRE(close(interpolate(x, xs, on_line_ys, interpolant, Beyond::extrapolate), line(x)));
      REQUIRE(close(interpolate(x, row<double>(xs), row<double>(on_line_ys), interpolant),
                    line(std::min(4.0, std::max(-1.0, x)))));
    }
}

TEST_CASE("A table is exact at its points, whatever is beyond its ends", "[kernels][interpolation]")
{
  for (const auto interpolant : interpolants)
    for (const auto beyond : all_beyond)
    {
      for (size_t i = 0; i < xs.size(); i++)
        REQUIRE(interpolate(xs[i], xs, ys, interpolant, beyond) == ys[i]);
      for (size_t i = 0; i < rpn_x.size(); i++)
        REQUIRE(interpolate(rpn_x[i], row<double>(rpn_x), rpn_y, interpolant, beyond) == rpn_y[i]);
    }
}

TEST_CASE("Beyond its ends a table is constant, goes on along its tangent, or is NaN",
          "[kernels][interpolation]")
{
  static_assert(interpolate(-7, xs, ys) == 3 && interpolate(7, xs, ys) == -2);
  static_assert(interpolate(-7.0, xs, ys, cubic) == 3 && interpolate(7.0f, xs, ys, cubic) == -2);
  static_assert(interpolate(-2, xs, ys, Beyond::extrapolate) == 5);
  static_assert(interpolate(6, xs, ys, Beyond::extrapolate) == -8);
  for (const double x : {-7.0, -1.0001, 4.0001, 7.0, inf, -inf})
    for (const auto interpolant : interpolants)
    {
      REQUIRE(interpolate(x, xs, ys, interpolant) == (x < 0 ? 3 : -2));
      REQUIRE(std::isnan(interpolate(x, xs, ys, interpolant, Beyond::nan)));
    }
  const double before = slope([](double x) { return interpolate(x, xs, ys, cubic); }, -1 + 1e-5),
               after = slope([](double x) { return interpolate(x, xs, ys, cubic); }, 4 - 1e-5);
  REQUIRE(close(interpolate(-3.0, xs, ys, cubic, Beyond::extrapolate), 3 - 2 * before, 1e-3));
  REQUIRE(close(interpolate(6.0, xs, ys, cubic, Beyond::extrapolate), -2 + 2 * after, 1e-3));
}

TEST_CASE("The monotone cubic of Fritsch and Carlson's data RPN 14 rises and passes the points",
          "[kernels][interpolation]")
{
  double before = 0;
  for (int k = 0; k <= 10000; k++)
  {
    const double x = 7.99 + (20 - 7.99) * k / 10000;
    const double y = interpolate(x, rpn_x, rpn_y, cubic);
    REQUIRE(y >= before - 1e-16);
    REQUIRE(y <= 1);
    before = y;
  }
  // Between equal values the curve is constant, and at a peak its slope is 0.
  constexpr std::array<double, 5> steps{0, 0, 1, 1, 0};
  for (const double x : points_of(xs))
  {
    const double y = interpolate(x, xs, steps, cubic);
    REQUIRE((y >= 0 && y <= 1));
    if (x < 0)
      REQUIRE(y == 0);
    if (x > 0.5 && x < 2)
      REQUIRE(y == 1);
  }
}

TEST_CASE("The monotone cubic is a parabola where its slope is not limited",
          "[kernels][interpolation]")
{
  constexpr std::array<double, 5> knots{1, 1.5, 2.2, 3, 4};
  constexpr auto f = [](double x) { return x * x - 1; };
  constexpr auto values = sampled(knots, f);
  for (const double x : points_of(knots))
    if (x > 1 && x < 4)
      REQUIRE(close(interpolate(x, knots, values, cubic), f(x)));
  constexpr std::array<double, 3> three{1, 2, 4};
  REQUIRE(close(interpolate(1.3, three, sampled(three, f), cubic), f(1.3)));
  REQUIRE(close(interpolate(3.3, three, sampled(three, f), cubic), f(3.3)));
}

TEST_CASE("A cubic table of slopes that are limited is that of three times the smaller slope",
          "[kernels][interpolation]")
{
  // Slopes 0.1 and 10: the parabola's slope at 1 is 5.05, the limit 0.3.
  constexpr std::array<double, 3> x{0, 1, 2}, y{0, 0.1, 10.1};
  REQUIRE(
      close(slope([&](double t) { return interpolate(t, x, y, cubic); }, 1.0 + 2e-6), 0.3, 1e-4));
  // Slopes of different signs: the slope at the point is 0.
  constexpr std::array<double, 3> peak{0, 1, 0.5};
  Dual<double, 1> t(1.0);
  t.d[0] = 1;
  REQUIRE(interpolate(t, x, peak, cubic).d[0] == 0);
}

TEST_CASE("A table mirrored gives what is mirrored", "[kernels][interpolation]")
{
  std::array<double, 5> mx{}, my{};
  for (size_t i = 0; i < 5; i++)
  {
    mx[i] = -xs[4 - i];
    my[i] = ys[4 - i];
  }
  for (const auto interpolant : interpolants)
    for (const auto beyond : {Beyond::constant, Beyond::extrapolate})
      for (const double x : points_of(xs))
        REQUIRE(close(interpolate(x, xs, ys, interpolant, beyond),
                      interpolate(-x, mx, my, interpolant, beyond)));
}

TEST_CASE("Two points make a line, and many points a table too", "[kernels][interpolation]")
{
  constexpr std::array<int, 2> two{1, 3};
  constexpr std::array<float, 2> values{5, 1};
  static_assert(interpolate(2, two, values) == 3);
  static_assert(interpolate(2, two, values, cubic) == 3);
  static_assert(interpolate(5, two, values, cubic, Beyond::extrapolate) == -3);
  std::array<double, 100> many{};
  for (size_t i = 0; i < many.size(); i++)
    many[i] = std::sqrt(double(i));
  const auto squares = sampled(many, [](double x) { return x * x; });
  for (size_t i = 1; i < many.size(); i++)
  {
    const double x = 0.3 * many[i - 1] + 0.7 * many[i];
    REQUIRE(close(interpolate(x, many, squares), double(i) - 0.3, 1e-12));
    REQUIRE(close(interpolate(x, many, squares, cubic), x * x, 1e-12));
  }
}

TEST_CASE("NaN gives NaN; far points do not matter", "[kernels][interpolation]")
{
  for (const auto interpolant : interpolants)
    for (const auto beyond : all_beyond)
    {
      REQUIRE(std::isnan(interpolate(NaN, xs, ys, interpolant, beyond)));
      for (const double bad : {NaN, inf, -inf})
      {
        auto far = ys;
        far[4] = bad;
        REQUIRE(interpolate(-0.5, xs, far, interpolant, beyond) ==
                interpolate(-0.5, xs, ys, interpolant, beyond));
        REQUIRE(!std::isfinite(interpolate(3.0, xs, far, interpolant, beyond)));
      }
      for (int i = 0; i < 5; i++)
        for (const double bad : {NaN, inf, -inf, 17.0, -17.0, xs[i == 0 ? 1 : size_t(i) - 1]})
        {
          auto x = row<double>(xs);
          x[i] = bad;
          if ((i == 0 && bad == -17) || (i == 4 && bad == 17))
            continue; // the abscissae are in order
          INFO(i << " " << bad);
          for (const double at : {-3.0, -0.5, 1.0, 3.0, 9.0})
            REQUIRE(std::isnan(interpolate(at, x, ys, interpolant, beyond)));
        }
    }
}

TEST_CASE("Constants that are not valid abscissae are refused", "[kernels][interpolation]")
{
  std::array<double, 3> bad{1, 2.5, 2}, y{};
  REQUIRE(
      refusal([&] { interpolate(1, bad, y); }) ==
      "interpolate: the abscissae of a table must be finite and increase strictly, but entry 2 is "
      "2 after 2.5. Sort the points, and leave out repeated points.");
  bad = {1, 1, 2};
  REQUIRE(refusal([&] { interpolate(1, bad, row<double>(y)); }).find("entry 1 is 1 after 1.") !=
          std::string::npos);
  for (const auto & x : {std::array<double, 3>{NaN, 1, 2}, {0, 1, NaN}, {0, 1, inf}, {-inf, 1, 2}})
  {
    REQUIRE(refusal([&] { interpolate(1, x, y); }) != "no error");
    constexpr std::array<double, 3> good{0, 1, 2};
    constexpr std::array<double, 9> values{};
    REQUIRE(refusal([&] { interpolate(1, 1, good, x, values); }) != "no error");
    REQUIRE(refusal([&] { interpolate(1, 1, x, good, values); }) != "no error");
  }
}

TEST_CASE("Duals have the derivatives by x, abscissae and ordinates", "[kernels][interpolation]")
{
  using D = Dual<double, 11>; // derivatives by x, five abscissae, five ordinates
  for (const auto interpolant : interpolants)
    for (const auto beyond : {Beyond::constant, Beyond::extrapolate})
      for (const double at : points_of(xs))
      {
        INFO("at " << at << (interpolant == cubic ? ", cubic" : ", linear"));
        const auto f = [&](int variable, double step)
        {
          auto x = xs, y = ys;
          double t = at;
          (variable == 0  ? t
           : variable < 6 ? x[size_t(variable) - 1]
                          : y[size_t(variable) - 6]) += step;
          return interpolate(t, row<double>(x), row<double>(y), interpolant, beyond);
        };
        auto dx = row<D>(xs), dy = row<D>(ys);
        D t(at);
        t.d[0] = 1;
        for (int i = 0; i < 5; i++)
          dx[i].d[1 + i] = dy[i].d[6 + i] = 1;
        const D r = interpolate(t, dx, dy, interpolant, beyond);
        REQUIRE(close(r.x, f(0, 0)));
        for (int k = 0; k < 11; k++)
        {
          INFO("variable " << k);
          const double h = 1e-6;
          REQUIRE(close(r.d[k], (f(k, h) - f(k, -h)) / (2 * h), 1e-7));
        }
        // only some of the arguments have derivatives
        const D by_x = interpolate(t, xs, row<double>(ys), interpolant, beyond),
                by_xs = interpolate(at, dx, ys, interpolant, beyond),
                by_ys = interpolate(at, row<double>(xs), dy, interpolant, beyond);
        REQUIRE(close(by_x.d[0], r.d[0]));
        for (int k = 1; k < 6; k++)
        {
          REQUIRE(close(by_xs.d[k], r.d[k]));
          REQUIRE(close(by_ys.d[k + 5], r.d[k + 5]));
        }
      }
}

TEST_CASE("The derivative at a point is that after it, at an end that inside",
          "[kernels][interpolation]")
{
  const auto derivative = [](double x, Interpolant interpolant, Beyond beyond)
  {
    Dual<double, 1> t(x);
    t.d[0] = 1;
    return interpolate(t, row<double>(xs), ys, interpolant, beyond).d[0];
  };
  for (const auto beyond : all_beyond)
  {
    REQUIRE(derivative(-1, linear, beyond) == -2);
    REQUIRE(derivative(0, linear, beyond) == 1);
    REQUIRE(close(derivative(0.5, linear, beyond), 5. / 3));
    REQUIRE(derivative(4, linear, beyond) == -3);
    for (const double x : xs)
      REQUIRE(close(derivative(x, cubic, beyond),
                    derivative(x == 4 ? x - 1e-9 : x + 1e-9, cubic, beyond),
                    1e-7));
  }
  for (const auto interpolant : interpolants)
    for (const double x : {-1.5, 4.5})
    {
      REQUIRE(derivative(x, interpolant, Beyond::constant) == 0);
      REQUIRE(derivative(x, interpolant, Beyond::nan) == 0);
    }
}

TEST_CASE("A table of two abscissae is bilinear", "[kernels][interpolation]")
{
  constexpr std::array<double, 3> x{0, 1, 3};
  constexpr std::array<double, 4> y{-1, 0, 2, 5};
  const auto f = [](double s, double t) { return 1 + 2 * s - 3 * t + 0.5 * s * t; };
  std::array<double, 12> values{};
  for (size_t i = 0; i < 3; i++)
    for (size_t j = 0; j < 4; j++)
      values[4 * i + j] = f(x[i], y[j]);
  for (const double s : points_of(x))
    for (const double t : points_of(y))
    {
      const double u = std::min(3.0, std::max(0.0, s)), v = std::min(5.0, std::max(-1.0, t));
      REQUIRE(close(interpolate(s, t, x, y, values, Beyond::extrapolate), f(s, t)));
      REQUIRE(close(interpolate(s, t, x, row<double>(y), row<double>(values)), f(u, v)));
      const bool within = u == s && v == t;
      REQUIRE(std::isnan(interpolate(s, t, x, y, values, Beyond::nan)) == !within);
    }
  values[5] = 17;
  for (size_t i = 0; i < 3; i++)
    for (size_t j = 0; j < 4; j++)
      REQUIRE(interpolate(x[i], y[j], row<double>(x), y, values) == values[4 * i + j]);
  REQUIRE(close(interpolate(0.5, 0.0, x, y, values), (f(0, 0) + 17) / 2));
  REQUIRE(std::isnan(interpolate(NaN, 0.0, x, y, values)));
  REQUIRE(std::isnan(interpolate(0.5, NaN, x, y, values)));
  Components<double, 4> unsorted(-1., 2., 2., 5.);
  REQUIRE(std::isnan(interpolate(0.5, -0.5, x, unsorted, values)));

  Dual<double, 2> s(0.4), t(1.0);
  s.d[0] = t.d[1] = 1;
  const auto r = interpolate(s, t, x, row<double>(y), values);
  REQUIRE(
      close(r.d[0], slope([&](double z) { return interpolate(z, 1.0, x, y, values); }, 0.4), 1e-9));
  REQUIRE(
      close(r.d[1], slope([&](double z) { return interpolate(0.4, z, x, y, values); }, 1.0), 1e-9));
}
