// SPDX-License-Identifier: MIT
#include "neml2/kernels/Components.h"
#include "neml2/kernels/WR2.h"
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
template <class T>
struct Pair : Components<T, 2>
{
  using Components<T, 2>::Components;
};

constexpr Pair<double> a(3.0, -4.0), b(2.0, 8.0);
} // namespace

TEST_CASE("Components are zero unless given", "[kernels]")
{
  constexpr Pair<double> zero;
  static_assert(zero[0] == 0 && zero[1] == 0);
  static_assert(a[0] == 3 && a[1] == -4);
  static_assert(sizeof(Pair<double>) == 2 * sizeof(double));
  REQUIRE(Pair<float>(1, 2)[1] == 2.0f);
}

TEST_CASE("Components add, subtract, negate and divide one by one", "[kernels]")
{
  static_assert(close(a + b, Pair<double>(5, 4)));
  static_assert(close(a - b, Pair<double>(1, -12)));
  static_assert(close(-a, Pair<double>(-3, 4)));
  static_assert(close(a / b, Pair<double>(1.5, -0.5)));
  REQUIRE(close(a + b, Pair<double>(5, 4)));
}

TEST_CASE("A number combines with every component, from both sides", "[kernels]")
{
  static_assert(close(a + 2.0, Pair<double>(5, -2)));
  static_assert(close(2.0 + a, Pair<double>(5, -2)));
  static_assert(close(a - 2.0, Pair<double>(1, -6)));
  static_assert(close(2.0 - a, Pair<double>(-1, 6)));
  static_assert(close(a * 2.0, Pair<double>(6, -8)));
  static_assert(close(2.0 * a, Pair<double>(6, -8)));
  static_assert(close(a / 2.0, Pair<double>(1.5, -2)));
  static_assert(close(12.0 / a, Pair<double>(4, -3)));
  REQUIRE(close(12.0 / a, Pair<double>(4, -3)));
}

TEST_CASE("Mixed component types give the type of their arithmetic", "[kernels]")
{
  static_assert(std::is_same_v<sum_t<float, float>, float>);
  static_assert(std::is_same_v<sum_t<float, double>, double>);
  static_assert(std::is_same_v<product_t<double, Number>, Number>);
  static_assert(std::is_same_v<decltype(Pair<float>() + Pair<float>()), Pair<float>>);
  static_assert(std::is_same_v<decltype(Pair<double>() + Pair<Number>()), Pair<Number>>);
  static_assert(std::is_same_v<decltype(Pair<double>() * Number()), Pair<Number>>);

  constexpr Pair<Number> x(Number(5, 1), Number(7, 0));
  static_assert((a + x)[0].value == 8 && (a + x)[0].slope == 1);
  static_assert((x - a)[1].value == 11 && (x - a)[1].slope == 0);
  static_assert((a / x)[0].slope == -3.0 / 25.0);
  static_assert((x * 2.0)[0].slope == 2 && (2.0 / x)[0].slope == -2.0 / 25.0);
  static_assert((-x)[0].slope == -1);
  REQUIRE((a + x)[0].value == 8);
}

TEST_CASE("A row is told from a number", "[kernels]")
{
  static_assert(is_row<Pair<double>>::value);
  static_assert(is_row<Pair<Number>>::value);
  static_assert(!is_row<double>::value);
  static_assert(!is_row<Number>::value);
  REQUIRE(is_row<Pair<float>>::value);
}

TEST_CASE("inner is the sum of the products of the components", "[kernels]")
{
  static_assert(inner(a, b) == 3 * 2 - 4 * 8);
  static_assert(std::is_same_v<decltype(inner(Pair<float>(), Pair<float>())), float>);
  constexpr Pair<Number> x(Number(5, 1), Number(7, 0));
  static_assert(inner(a, x).value == 15 - 28 && inner(a, x).slope == 3);
  REQUIRE(inner(a, b) == -26);
}

TEST_CASE("Components are read by their indices, as those of the batched types", "[kernels]")
{
  static_assert(a(0) == 3 && a(1) == -4 && a(-1) == -4 && a(-2) == 3);
  REQUIRE_THROWS_AS(a(2), neml2::IndexException);
  REQUIRE_THROWS_AS(a(-3), neml2::IndexException);
  constexpr SR2<double> s(1, 2, 3, 4, 5, 6);
  constexpr WR2<double> w(1, 2, 3);
  static_assert(s(3) == 4 && s(-1) == 6 && s(1, 1) == 2);
  static_assert(s(1, 2) == 4 * invsqrt2 && s(2, 0) == 5 * invsqrt2 && s(0, -2) == 6 * invsqrt2);
  REQUIRE_THROWS_AS(s(0, 3), neml2::IndexException);
  REQUIRE_THROWS_AS(w(-4, 0), neml2::IndexException);
  const R2<double> S = full(s), W = full(w);
  SSR4<double> C;
  for (int i = 0; i < 36; i++)
    C[i] = i;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
    {
      REQUIRE(s(i, j) == S(i, j));
      REQUIRE(w(i, j) == W(i, j));
      // C e for the unit tensor e of components k and l
      for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++)
        {
          R2<double> unit;
          unit(k, l) = 1;
          REQUIRE(std::abs((C * sym(unit))(i, j) - C(i, j, k, l)) < 1e-13);
        }
    }
  REQUIRE_THROWS_AS(C(0, 0, 0, 3), neml2::IndexException);
}
