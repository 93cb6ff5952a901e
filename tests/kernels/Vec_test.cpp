// SPDX-License-Identifier: MIT
#include "neml2/kernels/Vec.h"
#include "support/number.h"

#include <type_traits>

#include "support/catch.h"

using namespace neml2;
using namespace neml2::kernels;
using test::close;
using test::Number;

namespace
{
constexpr Vec<double> a(1, 2, 3), b(-4, 5, 0.5), c(7, -1, 2);
}

TEST_CASE("The cross product is that of the book", "[kernels][Vec]")
{
  constexpr Vec<double> e0(1, 0, 0), e1(0, 1, 0), e2(0, 0, 1);
  static_assert(close(cross(e0, e1), e2));
  static_assert(close(cross(e1, e2), e0));
  static_assert(close(cross(e2, e0), e1));
  static_assert(close(cross(a, b), -cross(b, a)));
  static_assert(inner(a, cross(a, b)) == 0 && inner(b, cross(a, b)) == 0);
  REQUIRE(close(cross(a, b), Vec<double>(-14, -12.5, 13)));
}

TEST_CASE("Lagrange's and Jacobi's identities hold", "[kernels][Vec]")
{
  // |a × b|² + (a · b)² = |a|² |b|²
  static_assert(close(norm_sq(cross(a, b)) + inner(a, b) * inner(a, b), norm_sq(a) * norm_sq(b)));
  // a × (b × c) + b × (c × a) + c × (a × b) = 0
  static_assert(
      close(cross(a, cross(b, c)) + cross(b, cross(c, a)) + cross(c, cross(a, b)), Vec<double>()));
  REQUIRE(inner(a, cross(b, c)) == inner(c, cross(a, b)));
}

TEST_CASE("inner and vdot are the sum of products, norm_sq that of squares", "[kernels][Vec]")
{
  static_assert(inner(a, b) == -4 + 10 + 1.5);
  static_assert(vdot(a, b) == inner(a, b));
  static_assert(norm_sq(a) == 14);
  REQUIRE(norm_sq(Vec<float>(1, 2, 3)) == 14.0f);
}

TEST_CASE("Formulas of vectors take floats and any number type, also mixed", "[kernels][Vec]")
{
  static_assert(std::is_same_v<decltype(cross(Vec<float>(), Vec<float>())), Vec<float>>);
  static_assert(std::is_same_v<decltype(inner(Vec<double>(), Vec<Number>())), Number>);

  constexpr auto x = test::vary<Vec>(b, 1);
  static_assert(inner(a, x).slope == 2 && vdot(x, a).slope == 2);
  static_assert(norm_sq(x).slope == 2 * 5);
  static_assert(cross(a, x)[0].slope == -3 && cross(a, x)[1].slope == 0 &&
                cross(a, x)[2].slope == 1);
  REQUIRE(inner(a, x).value == inner(a, b));
}
