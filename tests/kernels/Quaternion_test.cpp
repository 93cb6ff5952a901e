// SPDX-License-Identifier: MIT
#include "neml2/kernels/Quaternion.h"
#include "neml2/kernels/Dual.h"
#include "support/number.h"

#include <cmath>
#include <type_traits>

#include "support/catch.h"

using namespace neml2;
using namespace neml2::kernels;
using test::close;
using test::Number;

namespace
{
constexpr Quaternion<double> i(0, 1, 0, 0), j(0, 0, 1, 0), k(0, 0, 0, 1), q(0.5, -0.1, 0.7, 0.2),
    p(0.3, 0.6, -0.4, 0.1);
constexpr Rot<double> r(0.1, -0.2, 0.3);
constexpr Vec<double> v(1, 2, 3);

/// A dual number with one derivative, for the component that varies.
using Slope = Dual<double, 1>;
Quaternion<Slope>
vary(const Quaternion<double> & x, int c)
{
  Quaternion<Slope> y;
  for (int n = 0; n < 4; n++)
  {
    y[n] = Slope(x[n]);
    y[n].d[0] = n == c;
  }
  return y;
}
} // namespace

TEST_CASE("Hamilton's rules hold at compile time", "[kernels][Quaternion]")
{
  static_assert(close(i * j, k));
  static_assert(close(j * k, i));
  static_assert(close(k * i, j));
  static_assert(close(i * j * k, Quaternion<double>(-1, 0, 0, 0)));
  static_assert(close(q * inv(q), Quaternion<double>(1, 0, 0, 0)));
  static_assert(close(conjugate(q * p), conjugate(p) * conjugate(q)));
  static_assert(close(rotation_matrix(to_quaternion(r)), euler_rodrigues(r)));
  static_assert(close(rotate(v, to_quaternion(r)), rotate(v, r)));
  REQUIRE(close(to_rot(to_quaternion(r)), r));
  REQUIRE(close(to_quaternion(euler_rodrigues(r)), to_quaternion(r)));
}

TEST_CASE("Products of quaternions mix number types", "[kernels][Quaternion]")
{
  static_assert(std::is_same_v<decltype(q * Quaternion<Number>()), Quaternion<Number>>);
  static_assert(std::is_same_v<decltype(Quaternion<Number>() * q), Quaternion<Number>>);
  static_assert(std::is_same_v<decltype(rotation_matrix(Quaternion<float>())), R2<float>>);
  for (int c = 0; c < 4; c++)
  {
    const auto x = test::vary<Quaternion>(q, c) * p;
    Quaternion<double> unit;
    unit[c] = 1;
    for (int n = 0; n < 4; n++)
      REQUIRE(close(x[n].slope, (unit * p)[n]));
  }
}

TEST_CASE("The distance of quaternions of any length is 2 acos(min(|p · q|, 1))",
          "[kernels][Quaternion]")
{
  REQUIRE(close(dist(q, p), 2 * std::acos(std::abs(inner(q, p)))));
  REQUIRE(close(dist(-q, p), dist(q, p)));
  REQUIRE(dist(q * 3.0, q) == 0);
  const auto a = q / norm(q), b = a * Quaternion<double>(std::cos(5e-10), 0, std::sin(5e-10), 0);
  REQUIRE(std::abs(dist(a, b) - 1e-9) < 1e-15);
  for (const auto & x : {q, a})
    for (int c = 0; c < 4; c++)
    {
      const double cosine = inner(x, p);
      const double expected = -2 * (cosine < 0 ? -1 : 1) * p[c] / std::sqrt(1 - cosine * cosine);
      REQUIRE(close(dist(vary(x, c), p).d[0], expected));
      REQUIRE(close(dist(p, vary(x, c)).d[0], expected));
    }
}

TEST_CASE("Series are those of the functions", "[kernels][Quaternion]")
{
  for (const double x : {1e-300, 1e-8, 1e-4, 1e-3, 9e-3})
  {
    const double a = std::sqrt(x);
    REQUIRE(close(sinc_series<5>(x), std::sin(a) / a, 2e-16));
    REQUIRE(close(cos_series<5>(x), std::cos(a), 2e-16));
    REQUIRE(close(atan_series<8>(x), std::atan(a) / a, 2e-16));
    REQUIRE(close(squared_asin_series<8>(x), std::asin(a) * std::asin(a) / x, 3e-16));
  }
  for (const double angle : {1e-9, 0.1, 0.7, 1.2, 1.5707963})
  {
    const double s = std::sin(angle / 2);
    REQUIRE(close(squared_angle(s * s) / (angle * angle), 1, 2e-15));
    for (const double f : {0.3, 1.0, -2.0, 9.0})
      REQUIRE(close(sinc_of_square(f * f * angle * angle),
                    std::sin(f * angle) / (f * angle),
                    std::abs(f) < 3 ? 1e-15 : 2e-13));
  }
}

TEST_CASE("slerp, dist, exponential and logarithm have finite slopes at the identity, for duals",
          "[kernels][Quaternion]")
{
  const Quaternion<double> one(1, 0, 0, 0);
  for (const double sign : {1.0, -1.0})
    for (int c = 0; c < 4; c++)
    {
      const auto x = slerp(vary(one * sign, c), one, 0.25);
      const auto w = log_map(vary(one * sign, c));
      for (int n = 0; n < 4; n++)
        REQUIRE(close(x[n].d[0], c == n ? (c == 0 ? x[n].d[0] : 0.75) : 0.0));
      REQUIRE(std::isfinite(x[0].d[0]));
      for (int n = 0; n < 3; n++)
        REQUIRE(close(w[n].d[0], c == n + 1 ? 2 * sign : 0.0));
      REQUIRE(dist(vary(one * sign, c), one).d[0] == 0);
    }
  for (int c = 0; c < 3; c++)
  {
    Vec<Slope> zero;
    zero[c].d[0] = 1;
    const auto e = exp_quaternion(zero);
    for (int n = 0; n < 4; n++)
      REQUIRE(close(e[n].d[0], n == c + 1 ? 0.5 : 0.0));
  }
}
