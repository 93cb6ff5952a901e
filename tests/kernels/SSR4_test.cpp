// SPDX-License-Identifier: MIT
#include "neml2/kernels/SSR4.h"
#include "neml2/kernels/stiffness.h"
#include "support/number.h"

#include <cmath>
#include <limits>
#include <type_traits>

#include "support/catch.h"

using namespace neml2;
using namespace neml2::kernels;
using test::close;
using test::Number;

namespace
{
constexpr SR2<double> s(1, 2, 3, 0.4 * sqrt2, 0.5 * sqrt2, 0.6 * sqrt2), t(-2, 0.5, 1, 3, -1, 2);

/// The tensor with stored entries 1 ... 36.
constexpr SSR4<double>
counted()
{
  SSR4<double> C;
  for (int i = 0; i < 36; i++)
    C[i] = i + 1;
  return C;
}
constexpr SSR4<double> C = counted();
constexpr SSR4<double> D = fill_C1_C2_C3(4.0, 1.0, 2.0);

/// C_ijkl of the full tensor, computed from its Mandel components.
double
component(const SSR4<double> & c, int i, int j, int k, int l)
{
  const int p = mandel_reverse_index[i][j], q = mandel_reverse_index[k][l];
  return c(p, q) * (p < 3 ? 1 : invsqrt2) * (q < 3 ? 1 : invsqrt2);
}

constexpr R2<double> R(0.36, 0.48, -0.8, -0.8, 0.6, 0, 0.48, 0.64, 0.6); // a rotation
constexpr R2<double> A(1, 2, 3, 4, 5, 6, 7, 8, 10);                      // not a rotation
constexpr SSR4<double> I = fill_C1_C2_C3(1.0, 0.0, 1.0);

/// Entries without a pattern, none of them small.
SSR4<double>
scattered(int seed)
{
  SSR4<double> M;
  for (int i = 0; i < 36; i++)
    M[i] = 2 * std::sin(1.7 * seed + 3.1 * i + 0.9 * i * i);
  return M;
}

bool
is_inverse(const SSR4<double> & X, const SSR4<double> & M, double tolerance = 1e-13)
{
  return close(X * M, I, tolerance) && close(M * X, I, tolerance);
}
} // namespace

// The functions of a number, besides arithmetic, that inv needs.
namespace neml2::test
{
static bool
operator<(const Number & a, const Number & b)
{
  return a.value < b.value;
}
static Number
where(bool c, const Number & a, const Number & b)
{
  return c ? a : b;
}
static Number
abs(const Number & a)
{
  return a < 0.0 ? -a : a;
}
} // namespace neml2::test

TEST_CASE("A fourth order tensor contracts the last two indices of the full tensor",
          "[kernels][SSR4]")
{
  const auto left = full(C * s), right = full(s * C), e = full(s);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
    {
      double l = 0, r = 0;
      for (int m = 0; m < 3; m++)
        for (int n = 0; n < 3; n++)
        {
          l += component(C, i, j, m, n) * e(m, n);
          r += e(m, n) * component(C, m, n, i, j);
        }
      REQUIRE(close(left(i, j), l));
      REQUIRE(close(right(i, j), r));
    }
}

TEST_CASE("The product of fourth order tensors is their composition", "[kernels][SSR4]")
{
  static_assert(close((C * D) * s, C * (D * s)));
  static_assert(close(t * (C * D), (t * C) * D));
  const auto P = C * D;
  double sum = 0;
  for (int m = 0; m < 3; m++)
    for (int n = 0; n < 3; n++)
      sum += component(C, 0, 1, m, n) * component(D, m, n, 1, 2);
  REQUIRE(close(component(P, 0, 1, 1, 2), sum));
}

TEST_CASE("transpose_major exchanges the index pairs", "[kernels][SSR4]")
{
  static_assert(transpose_major(C)(2, 4) == C(4, 2) && transpose_major(C)(5, 0) == C(0, 5));
  static_assert(close(transpose_major(C) * s, s * C));
  REQUIRE(close(transpose_major(transpose_major(C)), C));
}

TEST_CASE("mandel_rotation turns stored components as the matrix turns the tensor",
          "[kernels][SSR4]")
{
  constexpr auto Q = mandel_rotation(R);
  static_assert(close(Q * s, rotate(s, R)));
  static_assert(close(mandel_rotation(A) * t, rotate(t, A), 1e-13));
  static_assert(close(Q * transpose_major(Q), I));
  REQUIRE(close(mandel_rotation(A * R), mandel_rotation(A) * Q, 1e-13));
}

TEST_CASE("A rotated fourth order tensor has all four indices turned", "[kernels][SSR4]")
{
  constexpr auto M = rotate(C, R);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
    {
      double sum = 0; // component (i, 1, k, 2)
      for (int m = 0; m < 3; m++)
        for (int n = 0; n < 3; n++)
          for (int o = 0; o < 3; o++)
            for (int p = 0; p < 3; p++)
              sum += R(i, m) * R(1, n) * R(k, o) * R(2, p) * component(C, m, n, o, p);
      REQUIRE(close(component(M, i, 1, k, 2), sum, 1e-13));
    }
  static_assert(close(M * rotate(s, R), rotate(C * s, R), 1e-13));
  static_assert(close(rotate(M, transpose(R)), C, 1e-13));
  static_assert(close(norm_sq(M), norm_sq(C), 1e-13));
  static_assert(close(rotate(isotropic_E_nu(3.0, 0.3), R), isotropic_E_nu(3.0, 0.3)));
  REQUIRE(close(transpose_major(rotate(C, R)), rotate(transpose_major(C), R)));
}

TEST_CASE("inv is the inverse of stiffnesses and of any invertible matrix", "[kernels][SSR4]")
{
  constexpr auto stiffness = isotropic_E_nu(100.0, 0.3) + outer(s, s);
  static_assert(close(inv(stiffness) * stiffness, I) && close(stiffness * inv(stiffness), I));
  static_assert(close(inv(D) * (D * s), s));
  REQUIRE(is_inverse(inv(isotropic_E_nu(1.0, 0.4999)), isotropic_E_nu(1.0, 0.4999), 1e-11));
  for (int seed = 0; seed < 50; seed++)
    REQUIRE(is_inverse(inv(scattered(seed)), scattered(seed), 1e-11));
  REQUIRE(close(inv(inv(scattered(3))), scattered(3), 1e-11));
  REQUIRE(close(inv(transpose_major(scattered(3))), transpose_major(inv(scattered(3))), 1e-12));
}

TEST_CASE("inv of a permutation matrix is its transpose", "[kernels][SSR4]")
{
  constexpr int orders[][6] = {{5, 4, 3, 2, 1, 0},
                               {1, 2, 3, 4, 5, 0},
                               {3, 4, 5, 0, 1, 2},
                               {0, 2, 1, 5, 3, 4},
                               {4, 0, 5, 1, 3, 2}};
  for (const auto & order : orders)
    for (const double size : {1.0, 1e-200, 1e200})
    {
      SSR4<double> M, X;
      for (int i = 0; i < 6; i++)
      {
        M(i, order[i]) = size;
        X(order[i], i) = 1 / size;
      }
      for (int k = 0; k < 36; k++)
        REQUIRE(inv(M)[k] == X[k]);
    }
}

TEST_CASE("inv needs no block or minor of the matrix to be regular", "[kernels][SSR4]")
{
  SSR4<double> M; // diagonal blocks are singular: of rank 0 and 1
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
    {
      M(i, j + 3) = A(i, j);
      M(i + 3, j) = R(i, j);
      M(i + 3, j + 3) = (i + 1) * (j - 2);
    }
  REQUIRE(is_inverse(inv(M), M));
  auto tiny_pivot = scattered(7);
  tiny_pivot(0, 0) = 1e-18;
  REQUIRE(is_inverse(inv(tiny_pivot), tiny_pivot, 1e-12));
  // The rows have different units.
  auto scaled = scattered(8);
  for (int j = 0; j < 6; j++)
    scaled(2, j) = scaled(2, j) * 1e-30;
  auto expected = inv(scattered(8));
  for (int i = 0; i < 6; i++)
    expected(i, 2) = expected(i, 2) * 1e30;
  for (int k = 0; k < 36; k++)
    REQUIRE(close(inv(scaled)[k] / expected[k], 1, 1e-12));
}

TEST_CASE("inv of a singular matrix is infinite or NaN, and of NaN NaN", "[kernels][SSR4]")
{
  const auto finite = [](const SSR4<double> & M)
  {
    for (int k = 0; k < 36; k++)
      if (!std::isfinite(inv(M)[k]))
        return false;
    return true;
  };
  REQUIRE_FALSE(finite(SSR4<double>()));
  REQUIRE_FALSE(finite(outer(s, t)));
  REQUIRE_FALSE(finite(fill_C1_C2_C3(1.0, 1.0, 0.0)));
  REQUIRE_FALSE(finite(fill_C1_C2_C3(1.0 / 3, 1.0 / 3, 0.0)));
  REQUIRE_FALSE(finite(fill_C1_C2_C3(2.0, -1.0, 1.0)));
  auto M = D;
  M(3, 1) = std::numeric_limits<double>::quiet_NaN();
  REQUIRE_FALSE(finite(M));
}

TEST_CASE("inner of fourth order tensors is that of the full tensors", "[kernels][SSR4]")
{
  double sum = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++)
          sum += component(C, i, j, k, l) * component(D, i, j, k, l);
  REQUIRE(close(inner(C, D), sum));
  static_assert(norm_sq(C) == 36 * 37 * 73 / 6);
  static_assert(inner(outer(s, t), outer(s, t)) == norm_sq(outer(s, t)));
}

TEST_CASE("outer maps a symmetric tensor to its projection", "[kernels][SSR4]")
{
  static_assert(close(outer(s, t) * s, s * inner(t, s)));
  static_assert(outer(t, t)(0, 5) == -4);
  REQUIRE(close(transpose_major(outer(s, t)), outer(t, s)));
}

TEST_CASE("fill_C1_C2_C3 is the cubic stiffness", "[kernels][SSR4]")
{
  static_assert(D(0, 0) == 4 && D(1, 2) == 1 && D(3, 3) == 2 && D(5, 5) == 2 && D(0, 3) == 0 &&
                D(3, 4) == 0);
  static_assert(close(fill_C1_C2_C3(1.0, 0.0, 1.0) * t, t));
  REQUIRE(close(fill_C1_C2_C3(1.0 / 3, 1.0 / 3, 0.0) * t, vol(t)));
}

TEST_CASE("The isotropic stiffness has Young's modulus and Poisson's ratio", "[kernels][SSR4]")
{
  constexpr auto c = isotropic_E_nu(100.0, 0.3);
  static_assert(close(c(0, 0), 134.61538, 1e-7) && close(c(0, 1), 57.69231, 1e-7) &&
                close(c(3, 3), 76.92308, 1e-7));
  // 3K on volumetric tensors and 2G on deviators, K = E / 3(1 - 2ν), G = E / 2(1 + ν)
  static_assert(close(c * s, 100.0 / 0.4 * vol(s) + 100.0 / 1.3 * dev(s)));
  // Uniaxial stress E along axis 0: the strain is 1 along axis 0 and -ν along the others.
  static_assert(
      close(c * SR2<double>(1, -0.3, -0.3, 0, 0, 0), SR2<double>(100, 0, 0, 0, 0, 0), 1e-12));
  REQUIRE(close(c * s,
                SR2<double>(423.07692308, 500, 576.92307692, 43.51426346, 54.39282932, 65.27139519),
                1e-8));
}

TEST_CASE("Formulas of fourth order tensors take floats and any number type, also mixed",
          "[kernels][SSR4]")
{
  static_assert(std::is_same_v<decltype(C * SR2<Number>()), SR2<Number>>);
  static_assert(std::is_same_v<decltype(SR2<Number>() * C), SR2<Number>>);
  static_assert(std::is_same_v<decltype(C * SSR4<Number>()), SSR4<Number>>);
  static_assert(std::is_same_v<decltype(outer(s, SR2<Number>())), SSR4<Number>>);
  static_assert(std::is_same_v<decltype(isotropic_E_nu(100.0, Number())), SSR4<Number>>);
  static_assert(std::is_same_v<decltype(isotropic_E_nu(100.0f, 0.3f)), SSR4<float>>);
  static_assert(close(double(isotropic_E_nu(100.0f, 0.3f)(0, 1)), 57.69231, 1e-6));

  const auto x = test::vary<SR2>(s, 4);
  for (int i = 0; i < 6; i++)
  {
    REQUIRE((C * x)[i].slope == C(i, 4));
    REQUIRE((x * C)[i].slope == C(4, i));
    REQUIRE(outer(t, x)(i, 4).slope == t[i]);
    REQUIRE(close(transpose_major(outer(t, x))(4, i).slope, t[i]));
  }
  static_assert(std::is_same_v<decltype(rotate(C, R2<Number>())), SSR4<Number>>);
  static_assert(std::is_same_v<decltype(rotate(SSR4<Number>(), R)), SSR4<Number>>);
  static_assert(std::is_same_v<decltype(inv(SSR4<float>())), SSR4<float>>);
  REQUIRE(close(rotate(test::vary<SSR4>(C, 9), R)[4].slope,
                mandel_rotation(R)(0, 1) * mandel_rotation(R)(4, 3)));
  // dM^-1_ij / dM_kl = -M^-1_ik M^-1_lj, also with row exchanges
  const auto M = scattered(1), X = inv(M);
  for (int k = 0; k < 36; k++)
  {
    const auto Y = inv(test::vary<SSR4>(M, k));
    for (int i = 0; i < 36; i++)
    {
      REQUIRE(close(Y[i].value, X[i], 1e-13));
      REQUIRE(close(Y[i].slope, -X(i / 6, k / 6) * X(k % 6, i % 6), 1e-11));
    }
  }
  // dC1/dE = C1/E
  REQUIRE(close(isotropic_E_nu(Number(100, 1), 0.3)(0, 0).slope, 1.3461538, 1e-7));
  REQUIRE(fill_C1_C2_C3(Number(4, 1), Number(1), Number(2))(1, 1).slope == 1);
}
