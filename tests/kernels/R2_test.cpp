// SPDX-License-Identifier: MIT
#include "neml2/kernels/R2.h"
#include "support/number.h"

#include <type_traits>

#include "support/catch.h"

using namespace neml2;
using namespace neml2::kernels;
using test::close;
using test::Number;

namespace
{
constexpr R2<double> A(1, 2, 3, 4, 5, 6, 7, 8, 10), B(2, -1, 0.5, 3, 1, 4, -2, 0, 1);
constexpr R2<double> I(1, 0, 0, 0, 1, 0, 0, 0, 1);
constexpr R2<double> R(0.36, 0.48, -0.8, -0.8, 0.6, 0, 0.48, 0.64, 0.6); // a rotation
constexpr Vec<double> v(1, 2, 3), w(-4, 5, 0.5);
} // namespace

TEST_CASE("Component ij of a matrix is in row i, column j", "[kernels][R2]")
{
  static_assert(A(0, 1) == 2 && A(1, 0) == 4 && A(2, 2) == 10);
  constexpr auto At = transpose(A);
  static_assert(At(0, 1) == 4 && At(1, 0) == 2 && At(2, 0) == 3 && At(0, 2) == 7 && At(1, 2) == 8);
  REQUIRE(close(transpose(At), A));
}

TEST_CASE("The product of matrices contracts the inner index", "[kernels][R2]")
{
  constexpr auto C = A * B;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
    {
      double s = 0;
      for (int k = 0; k < 3; k++)
        s += A(i, k) * B(k, j);
      REQUIRE(C(i, j) == s);
    }
  static_assert(close(A * v, Vec<double>(14, 32, 53)));
  static_assert(close(transpose(A * B), transpose(B) * transpose(A)));
  static_assert(close((A * B) * v, A * (B * v)));
}

TEST_CASE("det is that of the book and multiplicative", "[kernels][R2]")
{
  static_assert(close(det(A), -3));
  static_assert(close(det(A * B), det(A) * det(B)));
  static_assert(close(det(transpose(B)), det(B)));
  REQUIRE(close(det(R), 1));
}

TEST_CASE("Cofactors are the derivative of det, also where it is 0", "[kernels][R2]")
{
  constexpr R2<double> singular(1, 2, 3, 4, 5, 6, 5, 7, 9);
  static_assert(close(cofactors(A), transpose(inv(A)) * det(A), 1e-13));
  for (int i = 0; i < 9; i++)
  {
    REQUIRE(close(det(test::vary<R2>(A, i)).slope, cofactors(A)[i]));
    REQUIRE(close(det(test::vary<R2>(singular, i)).slope, cofactors(singular)[i]));
  }
}

TEST_CASE("inv times the matrix is the identity, from both sides", "[kernels][R2]")
{
  static_assert(close(A * inv(A), I, 1e-13));
  static_assert(close(inv(B) * B, I));
  REQUIRE(close(inv(R), transpose(R)));
}

TEST_CASE("A matrix is the sum of its volumetric and its deviatoric part", "[kernels][R2]")
{
  static_assert(tr(A) == 16);
  static_assert(close(vol(A) + dev(A), A));
  static_assert(close(tr(vol(A)), tr(A)));
  static_assert(close(tr(dev(A)), 0));
  static_assert(close(inner(vol(A), dev(B)), 0));
  static_assert(norm_sq(B) == inner(B, B) && norm_sq(B) == 36.25);
  REQUIRE(close(inner(A, B), tr(transpose(A) * B)));
}

TEST_CASE("outer maps a vector to its projection", "[kernels][R2]")
{
  static_assert(close(outer(v, w) * v, v * inner(w, v)));
  constexpr auto M = outer(v, w);
  static_assert(M(0, 1) == 5 && M(1, 0) == -8 && M(2, 2) == 1.5);
  REQUIRE(tr(outer(v, w)) == inner(v, w));
}

TEST_CASE("skew of a vector crosses with it", "[kernels][R2]")
{
  static_assert(close(skew(v) * w, cross(v, w)));
  static_assert(close(transpose(skew(v)), -skew(v)));
  REQUIRE(skew(v)(2, 1) == v[0]);
}

TEST_CASE("A rotation keeps the invariants and the product with vectors", "[kernels][R2]")
{
  static_assert(close(R * transpose(R), I));
  static_assert(close(tr(rotate(A, R)), tr(A)) && close(det(rotate(A, R)), det(A), 1e-13));
  static_assert(close(norm_sq(rotate(v, R)), norm_sq(v)));
  static_assert(close(rotate(A, R) * rotate(v, R), rotate(A * v, R), 1e-13));
  REQUIRE(close(rotate(outer(v, w), R), outer(rotate(v, R), rotate(w, R))));
}

TEST_CASE("Formulas of matrices take floats and any number type, also mixed", "[kernels][R2]")
{
  static_assert(std::is_same_v<decltype(A * R2<Number>()), R2<Number>>);
  static_assert(std::is_same_v<decltype(rotate(A, R2<Number>())), R2<Number>>);
  static_assert(std::is_same_v<decltype(outer(v, Vec<Number>())), R2<Number>>);
  constexpr R2<float> F(1, 2, 3, 4, 5, 6, 7, 8, 10);
  static_assert(close(inv(F) * F, R2<float>(1, 0, 0, 0, 1, 0, 0, 0, 1), 1e-4));
  static_assert(close(vol(F) + dev(F), F, 1e-6));

  // d det(A) / dA_ij = det(A) A^-1_ji;  dA^-1_ij / dA_kl = -A^-1_ik A^-1_lj
  constexpr auto Ai = inv(A);
  for (int k = 0; k < 3; k++)
    for (int l = 0; l < 3; l++)
    {
      const auto x = test::vary<R2>(A, 3 * k + l);
      REQUIRE(close(det(x).slope, det(A) * Ai(l, k)));
      REQUIRE(tr(x).slope == (k == l ? 1 : 0));
      REQUIRE(close(norm_sq(x).slope, 2 * A(k, l)));
      REQUIRE(close(inner(x, B).slope, B(k, l)));
      REQUIRE(close(dev(x)[0].slope, (k == 0 && l == 0) - (k == l) / 3.0));
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
        {
          REQUIRE(close(inv(x)(i, j).slope, -Ai(i, k) * Ai(l, j), 1e-12));
          REQUIRE(close((B * x)(i, j).slope, j == l ? B(i, k) : 0));
          REQUIRE(close(transpose(x)(i, j).slope, i == l && j == k));
        }
    }
  const auto y = test::vary<Vec>(v, 1);
  REQUIRE((A * y)[2].slope == 8);
  REQUIRE(skew(y)(0, 2).slope == 1);
  REQUIRE(skew(y)(2, 0).slope == -1);
}
