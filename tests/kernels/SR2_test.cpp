// SPDX-License-Identifier: MIT
#include "neml2/kernels/SR2.h"
#include "support/number.h"

#include <type_traits>

#include "support/catch.h"

using namespace neml2;
using namespace neml2::kernels;
using test::close;
using test::Number;

namespace
{
// The symmetric tensor of the check values: diagonal 1, 2, 3 and s12 = 0.4, s02 = 0.5, s01 = 0.6.
constexpr R2<double> S(1, 0.6, 0.5, 0.6, 2, 0.4, 0.5, 0.4, 3);
constexpr SR2<double> s(1, 2, 3, 0.4 * sqrt2, 0.5 * sqrt2, 0.6 * sqrt2);
constexpr SR2<double> t(-2, 0.5, 1, 3, -1, 2);
constexpr R2<double> A(1, 2, 3, 4, 5, 6, 7, 8, 10);
constexpr R2<double> R(0.36, 0.48, -0.8, -0.8, 0.6, 0, 0.48, 0.64, 0.6); // a rotation
constexpr Vec<double> v(1, 2, 3);
} // namespace

TEST_CASE("full and sym are the two directions of Mandel's notation", "[kernels][SR2]")
{
  static_assert(close(full(s), S));
  static_assert(close(sym(S), s));
  static_assert(close(sym(full(t)), t));
  static_assert(close(full(sym(A)), (A + transpose(A)) * 0.5));
  // Check values of the reference.
  REQUIRE(close(sym(A), SR2<double>(1, 5, 10, 9.89949494, 7.07106781, 4.24264069), 1e-8));
}

TEST_CASE("Mandel's notation keeps the inner product", "[kernels][SR2]")
{
  static_assert(close(inner(s, t), inner(full(s), full(t))));
  static_assert(close(norm_sq(s), norm_sq(S)));
  REQUIRE(close(norm_sq(s), 3.94208067 * 3.94208067, 1e-8));
}

TEST_CASE("The invariants are those of the full tensor", "[kernels][SR2]")
{
  static_assert(tr(s) == 6);
  static_assert(close(det(s), 4.5));
  static_assert(close(det(t), det(full(t))));
  REQUIRE(close(det(s), det(S)));
}

TEST_CASE("A symmetric tensor is the sum of its volumetric and its deviatoric part",
          "[kernels][SR2]")
{
  static_assert(close(vol(s) + dev(s), s));
  static_assert(close(tr(dev(s)), 0));
  static_assert(close(inner(vol(s), dev(t)), 0));
  static_assert(close(full(dev(t)), dev(full(t))) && close(full(vol(t)), vol(full(t))));
  REQUIRE(close(dev(s), SR2<double>(-1, 0, 1, 0.56568542, 0.70710678, 0.84852814), 1e-8));
}

TEST_CASE("inv is the inverse of the full tensor", "[kernels][SR2]")
{
  static_assert(close(full(inv(s)) * S, R2<double>(1, 0, 0, 0, 1, 0, 0, 0, 1)));
  static_assert(close(inv(inv(t)), t, 1e-13));
  static_assert(close(transpose(t), t));
  REQUIRE(
      close(inv(s),
            SR2<double>(1.29777778, 0.61111111, 0.36444444, -0.03142697, -0.23884496, -0.50283149),
            1e-8));
}

TEST_CASE("self_outer is the outer product of a vector with itself", "[kernels][SR2]")
{
  static_assert(close(full(self_outer(v)), outer(v, v)));
  REQUIRE(close(tr(self_outer(v)), norm_sq(v)));
}

TEST_CASE("rotate is that of the full tensor", "[kernels][SR2]")
{
  static_assert(close(full(rotate(t, R)), rotate(full(t), R)));
  static_assert(close(full(rotate(t, A)), A * full(t) * transpose(A))); // A may be any matrix
  static_assert(close(tr(rotate(t, R)), tr(t)) && close(det(rotate(t, R)), det(t)));
  REQUIRE(close(rotate(self_outer(v), R), self_outer(rotate(v, R))));
}

TEST_CASE("Formulas of symmetric tensors take floats and any number type, also mixed",
          "[kernels][SR2]")
{
  static_assert(std::is_same_v<decltype(inner(s, SR2<Number>())), Number>);
  static_assert(std::is_same_v<decltype(rotate(s, R2<Number>())), SR2<Number>>);
  static_assert(std::is_same_v<decltype(rotate(SR2<Number>(), R)), SR2<Number>>);
  constexpr SR2<float> f(1, 2, 3, 0.5f, 0.25f, 0.75f);
  static_assert(close(inv(inv(f)), f, 1e-5));
  static_assert(close(vol(f) + dev(f), f, 1e-6) && close(sym(full(f)), f, 1e-6));
  static_assert(close(double(det(f)), double(det(full(f))), 1e-5));
  static_assert(self_outer(Vec<float>(1, 2, 3))[0] == 1);
  static_assert(rotate(f, R2<float>(0, 1, 0, -1, 0, 0, 0, 0, 1))[0] == 2);

  // d det(s) / ds = det(s) s^-1, in Mandel components too
  constexpr auto si = inv(s);
  for (int k = 0; k < 6; k++)
  {
    const auto x = test::vary<SR2>(s, k);
    REQUIRE(close(det(x).slope, det(s) * si[k]));
    REQUIRE(tr(x).slope == (k < 3 ? 1 : 0));
    REQUIRE(close(norm_sq(x).slope, 2 * s[k]));
    REQUIRE(close(inner(x, t).slope, t[k]));
    REQUIRE(close(dev(x)[0].slope, (k == 0) - (k < 3) / 3.0));
    REQUIRE(close(sym(full(x))[k].slope, 1));
    REQUIRE(close((full(inv(x)) * full(x))(1, 1).slope, 0));
  }
  REQUIRE(close(self_outer(test::vary<Vec>(v, 2))[3].slope, 2 * sqrt2));
}
