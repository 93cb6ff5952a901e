// SPDX-License-Identifier: MIT
#include "neml2/kernels/Dual.h"

#include "neml2/kernels/Rot.h"
#include "neml2/kernels/stiffness.h"

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "support/functions.h"
#include "support/number.h"

#include "support/catch.h"

using namespace neml2::kernels;
using namespace neml2::test::functions;
using neml2::test::close;
using neml2::test::slope;

namespace
{
constexpr double inf = std::numeric_limits<double>::infinity();
using Dual1 = Dual<double, 1>;
using Dual2 = Dual<double, 2>;

/// A variable with this index and this value.
template <int N>
Dual<double, N>
variable(double x, int i)
{
  Dual<double, N> v(x);
  v.d[i] = 1;
  return v;
}

/// Compares a formula of a dual with the same formula of plain numbers: value, and derivative by
/// central differences.
template <class F>
void
require_unary(const std::string & name, const F & f, const std::vector<double> & at)
{
  for (const double x : at)
  {
    INFO(name << " at " << x);
    const Dual1 r = f(variable<1>(x, 0));
    REQUIRE(close(r.x, f(x), 1e-15));
    REQUIRE(close(r.d[0], slope(f, x), 1e-8));
    // the chain rule: the argument has other derivatives
    Dual2 y(x);
    y.d[0] = -2;
    y.d[1] = 0.25;
    const Dual2 s = f(y);
    REQUIRE(close(s.d[0], -2 * r.d[0]));
    REQUIRE(close(s.d[1], 0.25 * r.d[0]));
  }
}

/// The same comparison for two arguments: two variables, or one variable and a plain number on
/// either side.
template <class F>
void
require_binary(const std::string & name,
               const F & f,
               const std::vector<double> & first,
               const std::vector<double> & second)
{
  for (const double x : first)
    for (const double y : second)
    {
      INFO(name << " at " << x << ", " << y);
      const double by_x = slope([&](double t) { return f(t, y); }, x),
                   by_y = slope([&](double t) { return f(x, t); }, y);
      const Dual2 both = f(variable<2>(x, 0), variable<2>(y, 1));
      REQUIRE(close(both.x, f(x, y), 1e-15));
      REQUIRE(close(both.d[0], by_x, 1e-8));
      REQUIRE(close(both.d[1], by_y, 1e-8));
      const Dual1 left = f(variable<1>(x, 0), y), right = f(x, variable<1>(y, 0));
      REQUIRE(close(left.x, f(x, y), 1e-15));
      REQUIRE(close(left.d[0], by_x, 1e-8));
      REQUIRE(close(right.x, f(x, y), 1e-15));
      REQUIRE(close(right.d[0], by_y, 1e-8));
    }
}

template <template <class> class Row>
Row<double>
example(double scale)
{
  Row<double> r;
  for (int i = 0; i < Row<double>::n; i++)
    r[i] = scale * std::sin(1.7 * i + scale);
  return r;
}

/// A row whose component i is variable number i.
template <template <class> class Row>
auto
variables(const Row<double> & x)
{
  constexpr int n = Row<double>::n;
  Row<Dual<double, n>> r{Unset()};
  for (int i = 0; i < n; i++)
    r[i] = variable<n>(x[i], i);
  return r;
}

/// Compares value and derivatives of f of a row with f of plain numbers.
template <template <class> class Row, class F>
void
require_row(const std::string & name, const Row<double> & x, const F & f)
{
  const auto r = f(variables<Row>(x));
  const auto value_of_x = f(x);
  const auto compare = [&](const auto & d, const auto & number)
  {
    REQUIRE(close(d.x, number(value_of_x), 1e-15));
    for (int j = 0; j < Row<double>::n; j++)
    {
      const double by_j = slope(
          [&](double t)
          {
            auto z = x;
            z[j] = t;
            return number(f(z));
          },
          x[j]);
      INFO(name << " by component " << j);
      REQUIRE(close(d.d[j], by_j, 1e-7));
    }
  };
  if constexpr (is_row<std::decay_t<decltype(r)>>::value)
    for (int i = 0; i < std::decay_t<decltype(r)>::n; i++)
      compare(r[i], [i](const auto & y) { return y[i]; });
  else
    compare(r, [](double y) { return y; });
}
} // namespace

TEST_CASE("a dual of a number depends on no variable", "[kernels][Dual]")
{
  const Dual2 a(3.5), b(3);
  REQUIRE((a.x == 3.5 && a.d[0] == 0 && a.d[1] == 0));
  REQUIRE((b.x == 3 && b.d[0] == 0 && b.d[1] == 0));
  static_assert(!std::is_convertible_v<double, Dual2>);
  static_assert(std::is_base_of_v<Component<Dual2>, Dual2>);
  REQUIRE(value(variable<2>(4, 1)) == 4);
  REQUIRE((derivative(variable<2>(4, 1), 0) == 0 && derivative(variable<2>(4, 1), 1) == 1));
  REQUIRE((value(4.0) == 4 && derivative(4.0, 1) == 0));
}

TEST_CASE("arithmetic of duals is differentiated, also with a plain number", "[kernels][Dual]")
{
  const std::vector<double> any{-2.5, -1, 0, 0.3, 7}, not_zero{-2.5, -0.2, 0.3, 7};
  require_unary(
      "-", [](const auto & a) { return -a; }, any);
  require_binary(
      "+", [](const auto & a, const auto & b) { return a + b; }, any, any);
  require_binary(
      "-", [](const auto & a, const auto & b) { return a - b; }, any, any);
  require_binary(
      "*", [](const auto & a, const auto & b) { return a * b; }, any, any);
  require_binary(
      "/", [](const auto & a, const auto & b) { return a / b; }, any, not_zero);
  require_unary(
      "2 a / 3 - 1", [](const auto & a) { return 2 * a / 3 - 1; }, any); // also with integers
}

TEST_CASE("functions of duals are differentiated", "[kernels][Dual]")
{
  const std::vector<double> any{-2.5, -1, 0, 0.3, 7}, positive{1e-3, 0.3, 1, 20},
      inside{-0.9, -0.1, 0, 0.5}, not_zero{-2.5, -0.2, 0.3, 7};
  require_unary("sqrt", [](const auto & a) { return sqrt(a); }, {0.1, 0.3, 1, 20});
  require_unary(
      "norm_of_square", [](const auto & a) { return norm_of_square(a); }, {0.1, 0.3, 1, 20});
  require_unary(
      "abs", [](const auto & a) { return abs(a); }, not_zero);
  require_unary(
      "exp", [](const auto & a) { return exp(a); }, any);
  require_unary(
      "expm1", [](const auto & a) { return expm1(a); }, any);
  require_unary("log", [](const auto & a) { return log(a); }, {0.1, 0.3, 1, 20});
  require_unary("log1p", [](const auto & a) { return log1p(a); }, {-0.5, 0, 0.3, 20});
  require_unary(
      "sin", [](const auto & a) { return sin(a); }, any);
  require_unary(
      "cos", [](const auto & a) { return cos(a); }, any);
  require_unary("tan", [](const auto & a) { return tan(a); }, {-1, 0, 0.3, 1.1});
  require_unary(
      "asin", [](const auto & a) { return asin(a); }, inside);
  require_unary(
      "acos", [](const auto & a) { return acos(a); }, inside);
  require_unary(
      "atan", [](const auto & a) { return atan(a); }, any);
  require_unary(
      "sinh", [](const auto & a) { return sinh(a); }, any);
  require_unary(
      "cosh", [](const auto & a) { return cosh(a); }, any);
  require_unary(
      "tanh", [](const auto & a) { return tanh(a); }, any);
  require_unary(
      "asinh", [](const auto & a) { return asinh(a); }, any);
  require_unary("acosh", [](const auto & a) { return acosh(a); }, {1.1, 2, 20});
  require_unary(
      "atanh", [](const auto & a) { return atanh(a); }, inside);
  require_unary("log10", [](const auto & a) { return log10(a); }, {0.1, 0.3, 1, 20});
  require_unary(
      "cbrt", [](const auto & a) { return cbrt(a); }, not_zero);
  require_unary(
      "sign", [](const auto & a) { return sign(a); }, not_zero);
  require_unary(
      "heaviside", [](const auto & a) { return heaviside(a); }, not_zero);
  require_unary(
      "macaulay", [](const auto & a) { return macaulay(a); }, not_zero);
  require_unary(
      "dmacaulay", [](const auto & a) { return dmacaulay(a); }, not_zero);
  require_unary(
      "deg2rad", [](const auto & a) { return deg2rad(a); }, any);
  require_unary(
      "rad2deg", [](const auto & a) { return rad2deg(a); }, any);
  require_unary(
      "clamp", [](const auto & a) { return clamp(a, -0.7, 2.0); }, any);
  require_binary(
      "fmod", [](const auto & a, const auto & b) { return fmod(a, b); }, {-7.4, 0.3, 7}, {-2.2, 3});
  require_binary("lower bound",
                 [](const auto & a, const auto & b) { return clamp(a, b, 2.0); },
                 {-1, 0.7, 3},
                 {0.5, 1});
  require_binary("upper bound",
                 [](const auto & a, const auto & b) { return clamp(a, -2.0, b); },
                 {-3, 0.7, 3},
                 {0.5, 1});
  require_binary(
      "atan2", [](const auto & a, const auto & b) { return atan2(a, b); }, not_zero, not_zero);
  require_binary(
      "atan2 on an axis", [](const auto & a, const auto & b) { return atan2(a, b); }, {0}, {2});
  require_binary(
      "hypot", [](const auto & a, const auto & b) { return hypot(a, b); }, not_zero, any);
  require_binary(
      "pow", [](const auto & a, const auto & b) { return pow(a, b); }, {0.5, 1, 4}, any);
  for (const int n : {-2, 1, 2, 3}) // also for negative numbers
    require_unary(
        "pow", [n](const auto & a) { return pow(a, n); }, not_zero);
  require_binary(
      "maximum", [](const auto & a, const auto & b) { return maximum(a, b); }, {-1, 2}, {0.5, 3});
  require_binary(
      "minimum", [](const auto & a, const auto & b) { return minimum(a, b); }, {-1, 2}, {0.5, 3});
}

TEST_CASE("the derivative of a norm at zero is zero, that of a root infinite", "[kernels][Dual]")
{
  const auto zero = variable<1>(0, 0);
  REQUIRE((norm_of_square(zero).x == 0 && norm_of_square(zero).d[0] == 0));
  REQUIRE(sqrt(zero).d[0] == inf);
  const SR2<Dual<double, 6>> none = variables<SR2>(SR2<double>());
  const auto n = norm(none);
  REQUIRE(n.x == 0);
  for (const double d : n.d)
    REQUIRE(d == 0);
  REQUIRE(std::isnan(norm_of_square(variable<1>(-1, 0)).x));
  const auto h = hypot(variable<2>(0, 0), variable<2>(0, 1));
  REQUIRE((h.x == 0 && h.d[0] == 0 && h.d[1] == 0));
}

TEST_CASE("expm1, log1p and hypot have their value and their derivatives at any magnitude",
          "[kernels][Dual]")
{
  // mpmath with 50 digits
  const double of_expm1[][3] = {{1e-300, 1e-300, 1},
                                {-1e-10, -9.9999999995000003643e-11, 0.9999999999},
                                {0.5, 0.64872127070012814685, 1.6487212707001281468},
                                {-0.5, -0.3934693402873665764, 0.6065306597126334236},
                                {30, 10686474581523.462147, 10686474581524.462147}},
               of_log1p[][3] = {{1e-300, 1e-300, 1},
                                {-1e-10, -1.0000000000500000364e-10, 1.0000000001},
                                {0.5, 0.40546510810816438198, 0.66666666666666666667},
                                {-0.9999999, -16.118095651484675636, 10000000.005263558481},
                                {1e300, 690.77552789821370526, 1e-300}},
               of_hypot[][5] = {{1e300,
                                 7e299,
                                 1.2206555615733703593e+300,
                                 0.81923192051904046657,
                                 0.57346234436332832660},
                                {1e-300,
                                 3e-300,
                                 3.1622776601683795685e-300,
                                 0.31622776601683791747,
                                 0.94868329805051380484},
                                {0.3,
                                 -0.7,
                                 0.76157731058639078337,
                                 0.39391929857916767875,
                                 -0.91914503001805789278},
                                {1e-200, 2e100, 2e100, 5e-301, 1}};
  for (const auto & [x, f, slope] : of_expm1)
  {
    const auto r = expm1(variable<1>(x, 0));
    REQUIRE((close(r.x, f, 1e-15) && close(r.d[0], slope, 1e-15)));
  }
  for (const auto & [x, f, slope] : of_log1p)
  {
    const auto r = log1p(variable<1>(x, 0));
    REQUIRE((close(r.x, f, 1e-15) && close(r.d[0], slope, 1e-15)));
  }
  for (const auto & [x, y, f, by_x, by_y] : of_hypot)
  {
    const auto r = hypot(variable<2>(x, 0), variable<2>(y, 1));
    REQUIRE(close(r.x / f, 1, 1e-15));
    REQUIRE((close(r.d[0] / by_x, 1, 1e-15) && close(r.d[1] / by_y, 1, 1e-15)));
  }
  REQUIRE(log1p(variable<1>(-1, 0)).x == -inf);
  REQUIRE(log1p(variable<1>(-1, 0)).d[0] == inf);
  REQUIRE(std::isnan(log1p(variable<1>(-1.5, 0)).x));
}

TEST_CASE("abs has the slope of the side, and none at zero", "[kernels][Dual]")
{
  for (const double zero : {0.0, -0.0})
  {
    const auto r = abs(variable<1>(zero, 0));
    REQUIRE((r.x == 0 && r.d[0] == 0));
  }
}

TEST_CASE("macaulay has the slope of heaviside, a bound that of the bounded", "[kernels][Dual]")
{
  for (const double x : {-2.0, -0.0, 0.0, 3.0, inf, -inf})
  {
    const auto v = variable<1>(x, 0);
    REQUIRE((macaulay(v).x == std::max(x, 0.0) && macaulay(v).d[0] == heaviside(x)));
    REQUIRE((heaviside(v).x == heaviside(x) && heaviside(v).d[0] == 0));
    REQUIRE((sign(v).x == sign(x) && sign(v).d[0] == 0));
  }
  const double nan_ = std::nan("");
  REQUIRE(std::isnan(macaulay(variable<1>(nan_, 0)).x));
  REQUIRE(std::isnan(heaviside(variable<1>(nan_, 0)).x));
  REQUIRE(std::isnan(clamp(variable<1>(nan_, 0), 0.0, 1.0).x));
  const auto a = variable<2>(2, 0), b = variable<2>(2, 1);
  REQUIRE((clamp(a, 0.0, 2.0).d[0] == 1 && clamp(a, 2.0, 3.0).d[0] == 1));
  REQUIRE((clamp(a, b, 3.0).d[0] == 1 && clamp(a, b, 3.0).d[1] == 0));
  REQUIRE((clamp(a, 0.0, 1.0).d[0] == 0 && clamp(a, 3.0, 1.0).x == 1));
  REQUIRE((cbrt(variable<1>(0, 0)).x == 0 && cbrt(variable<1>(0, 0)).d[0] == inf));
}

TEST_CASE("maximum and minimum take the derivative of the second at a tie", "[kernels][Dual]")
{
  const auto a = variable<2>(2, 0), b = variable<2>(2, 1);
  REQUIRE((maximum(a, b).d[0] == 0 && maximum(a, b).d[1] == 1));
  REQUIRE((minimum(a, b).d[0] == 0 && minimum(a, b).d[1] == 1));
  REQUIRE(maximum(a, 2.0).d[0] == 0); // the positive part has the slope 0 at 0
  REQUIRE(maximum(2.0, a).d[0] == 1);
  REQUIRE(minimum(a, 2.0).d[0] == 0);
  REQUIRE(minimum(2.0, a).d[0] == 1);
  const double nan_ = std::nan("");
  for (const auto & r : {maximum(a, Dual2(nan_)),
                         maximum(Dual2(nan_), a),
                         minimum(a, Dual2(nan_)),
                         minimum(Dual2(nan_), a)})
    REQUIRE(std::isnan(r.x));
}

TEST_CASE("pow has finite derivatives at zero where they are", "[kernels][Dual]")
{
  const auto zero = variable<1>(0, 0);
  const auto check = [](const Dual1 & r, double x, double d)
  { REQUIRE((r.x == x && r.d[0] == d)); };
  check(pow(zero, 0.0), 1, 0);
  check(pow(zero, 1.0), 0, 1);
  check(pow(zero, 2.0), 0, 0);
  check(pow(zero, 0.5), 0, inf);
  check(pow(0.0, variable<1>(2, 0)), 0, 0);
  check(pow(0.0, variable<1>(0, 0)), 1, 0);
  const auto both = pow(variable<2>(0, 0), variable<2>(2, 1));
  REQUIRE((both.x == 0 && both.d[0] == 0 && both.d[1] == 0));
}

TEST_CASE("pow has the derivatives of powers next to each other, also of huge and tiny numbers",
          "[kernels][Dual]")
{
  for (const double a : {-inf,
                         -1e200,
                         -3.0,
                         -1.0,
                         -1e-200,
                         -0.0,
                         0.0,
                         5e-324,
                         1e-300,
                         1e-100,
                         0.3,
                         1.0,
                         7.0,
                         1e100,
                         1e300,
                         inf})
    for (const double n : {-3.0, -1.0, -0.5, 0.0, 1e-3, 0.5, 1.0, 2.0, 2.5, 3.0, 20.0})
    {
      CAPTURE(a, n);
      const auto r = pow(variable<1>(a, 0), n);
      const double slope = n == 0 ? 0 : n * std::pow(a, n - 1);
      const double bound = 5e-16 + 1e-16 * std::abs(std::log(std::abs(a))); // n - 1 is rounded
      REQUIRE((r.x == std::pow(a, n) || (std::isnan(r.x) && std::isnan(std::pow(a, n)))));
      REQUIRE((r.d[0] == slope || std::abs(r.d[0] - slope) <= bound * std::abs(slope) ||
               (std::isnan(r.d[0]) && std::isnan(slope))));
    }
}

TEST_CASE("where takes values and derivatives of one side only", "[kernels][Dual]")
{
  const auto x = variable<1>(0, 0);
  const auto bad = 1.0 / x, root = sqrt(x), worse = log(x) / x; // infinite or NaN
  for (const auto & r :
       {where(x.x < 0, bad, x), where(x > 0.0, root, x), where(x <= 0.0, x, worse)})
    REQUIRE((r.x == 0 && r.d[0] == 1));
  const auto plain = where(true, 3.0, bad), other = where(false, worse, 3.0);
  REQUIRE((plain.x == 3 && plain.d[0] == 0 && other.x == 3 && other.d[0] == 0));
  REQUIRE((where(true, x, 3.0).d[0] == 1 && where(false, 3.0, x).d[0] == 1));
}

TEST_CASE("duals compare as their values do", "[kernels][Dual]")
{
  const auto a = variable<1>(1, 0), b = variable<1>(2, 0);
  REQUIRE((a < b && !(b < a) && a < 2.0 && !(2.0 < a)));
  REQUIRE((b > a && !(a > b) && b > 1.0 && !(1.0 > b)));
  REQUIRE((a <= b && a <= a && a <= 1.0 && 1.0 <= a && !(b <= a)));
  REQUIRE((b >= a && a >= a && a >= 1.0 && 1.0 >= a && !(a >= b)));
}

TEST_CASE("kernels of matrices are differentiated through duals", "[kernels][Dual]")
{
  const auto s = example<SR2>(0.8);
  const auto A = example<R2>(1.1) + R2<double>(2, 0, 0, 0, 2, 0, 0, 0, 2);
  const auto v = example<Vec>(0.7);
  const auto C = example<SSR4>(0.9);
  const auto r = example<Rot>(0.3);
  require_row<SR2>("dev", s, [](const auto & x) { return dev(x); });
  require_row<SR2>("det", s, [](const auto & x) { return det(x); });
  require_row<SR2>("inv", s, [](const auto & x) { return inv(x); });
  require_row<SR2>("norm", s, [](const auto & x) { return norm(x); });
  require_row<SR2>("unit", s, [](const auto & x) { return unit(x); });
  require_row<SR2>("full", s, [](const auto & x) { return full(x); });
  require_row<SR2>("outer", s, [](const auto & x) { return outer(x, x); });
  require_row<SR2>("rotate by A", s, [&](const auto & x) { return rotate(x, A); });
  require_row<SR2>("C s", s, [&](const auto & x) { return C * x; });
  require_row<R2>("rotate s", A, [&](const auto & x) { return rotate(s, x); });
  require_row<R2>("det", A, [](const auto & x) { return det(x); });
  require_row<R2>("inv", A, [](const auto & x) { return inv(x); });
  require_row<R2>("A A", A, [](const auto & x) { return x * x; });
  require_row<R2>("A v", A, [&](const auto & x) { return x * v; });
  require_row<R2>("sym", A, [](const auto & x) { return sym(x); });
  require_row<Vec>("cross", v, [](const auto & x) { return cross(x, 2.0 * x + 1.0); });
  require_row<Vec>("self_outer", v, [](const auto & x) { return self_outer(x); });
  require_row<Vec>("skew", v, [&](const auto & x) { return skew(x) * v; });
  require_row<SSR4>("C s", C, [&](const auto & x) { return x * s; });
  require_row<SSR4>("s C", C, [&](const auto & x) { return s * x; });
  require_row<Rot>("rotate s by r", r, [&](const auto & x) { return rotate(s, x); });
}

TEST_CASE("the inverse of a fourth order tensor is differentiated through pivoting",
          "[kernels][Dual]")
{
  // a permuted matrix: every step exchanges rows
  SSR4<double> C;
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      C(i, j) = (j == (i + 2) % 6 ? 3.0 : 0.0) + 0.2 * std::sin(3.0 * i + 5.0 * j);
  SSR4<Dual1> D{Unset()};
  SSR4<double> direction;
  for (int k = 0; k < 36; k++)
  {
    direction[k] = std::cos(2.0 * k);
    D[k] = Dual1(C[k]);
    D[k].d[0] = direction[k];
  }
  const auto I = inv(C);
  const auto r = inv(D);
  const auto expected = -(I * direction * I); // d(C⁻¹) = -C⁻¹ dC C⁻¹
  for (int k = 0; k < 36; k++)
  {
    REQUIRE(close(r[k].x, I[k], 1e-14));
    REQUIRE(close(r[k].d[0], expected[k], 1e-12));
  }
}

TEST_CASE("a plain tensor times a tensor of duals costs no derivative", "[kernels][Dual]")
{
  using D = Dual<double, 6>;
  static_assert(std::is_same_v<decltype(SSR4<double>() * SR2<D>()), SR2<D>>);
  static_assert(std::is_same_v<decltype(SR2<D>() * SSR4<double>()), SR2<D>>);
  static_assert(std::is_same_v<decltype(rotate(SR2<double>(), R2<D>())), SR2<D>>);
  static_assert(std::is_same_v<decltype(rotate(SR2<D>(), R2<double>())), SR2<D>>);
  static_assert(std::is_same_v<decltype(inner(SR2<double>(), SR2<D>())), D>);
  static_assert(std::is_same_v<decltype(SR2<double>() + SR2<D>()), SR2<D>>);
  static_assert(std::is_same_v<decltype(SR2<double>() * D()), SR2<D>>);
  static_assert(std::is_same_v<decltype(where(true, SR2<double>(), SR2<D>())), SR2<D>>);
  static_assert(std::is_same_v<decltype(isotropic_E_nu(D(), 0.3)), SSR4<D>>);
  const SR2<D> zero;
  for (int i = 0; i < 6; i++)
    REQUIRE((zero[i].x == 0 && zero[i].d[5] == 0));
}

TEST_CASE("a quotient of duals has the value of the instruction", "[kernels][Dual]")
{
  for (int k = 1; k < 1000; k++)
  {
    const double x = 49.0 / k, y = 7.0 + k / 3.0;
    const auto a = variable<2>(x, 0), b = variable<2>(y, 1);
    REQUIRE((a / b).x == x / y);
    REQUIRE((a / y).x == x / y);
    REQUIRE((x / b).x == x / y);
    REQUIRE((b / b).x == 1);
  }
  REQUIRE((variable<1>(0, 0) / 1e-310).x == 0);
  REQUIRE((variable<1>(0, 0) / Dual1(1e-310)).x == 0);
  const auto q = variable<2>(3.0, 0) / variable<2>(4.0, 1), p = 3.0 / variable<2>(4.0, 1);
  REQUIRE((q.d[0] == 0.25 && q.d[1] == -0.1875 && p.d[1] == -0.1875));
  // 1 - d / limit is 0 at the limit, and its root is not NaN
  for (int k = 1; k < 100; k++)
  {
    const auto d = variable<1>(k / 7.0, 0), limit = Dual1(k / 7.0);
    REQUIRE(sqrt(1.0 - minimum(d, limit) / limit).x == 0);
  }
}

TEST_CASE("a power of a negative dual by one that does not change keeps its slope",
          "[kernels][Dual]")
{
  const auto p = pow(variable<2>(-1.0, 0), variable<2>(2.0, 1));
  REQUIRE((p.x == 1 && p.d[0] == -2 && std::isnan(p.d[1])));
}
