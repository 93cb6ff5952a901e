// SPDX-License-Identifier: MIT
#include "neml2/kernels/Rot.h"
#include "neml2/kernels/stiffness.h"
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
// The rotations and tensors of the check values.
constexpr Rot<double> r(0.1, -0.2, 0.3), t(0.25, 0.05, -0.1);
constexpr Vec<double> v(1, 2, 3);
constexpr R2<double> A(1, 2, 3, 4, 5, 6, 7, 8, 10);
constexpr SR2<double> S(1, 2, 3, 0.4 * sqrt2, 0.5 * sqrt2, 0.6 * sqrt2);
constexpr R2<double> I(1, 0, 0, 0, 1, 0, 0, 0, 1);

/// The rotation n tan(θ/4).
Rot<double>
about(const Vec<double> & n, double theta)
{
  const double f = std::tan(theta / 4) / std::sqrt(norm_sq(n));
  return {n[0] * f, n[1] * f, n[2] * f};
}

/// cos θ v + sin θ n × v + (1 - cos θ) (n · v) n, the formula of Rodrigues.
Vec<double>
turned(const Vec<double> & x, const Vec<double> & axis, double theta)
{
  const auto n = axis * (1 / std::sqrt(norm_sq(axis)));
  return x * std::cos(theta) + cross(n, x) * std::sin(theta) +
         n * ((1 - std::cos(theta)) * inner(n, x));
}

const Vec<double> axes[] = {
    {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {-1, 0, 1}, {1, -2, 0.5}, {-0.3, -0.4, -2}};
} // namespace

// The functions of a number, besides arithmetic, that fill_matrix and fill_rodrigues need.
namespace neml2::test
{
static bool
operator<(const Number & a, const Number & b)
{
  return a.value < b.value;
}
static bool
operator>(const Number & a, const Number & b)
{
  return a.value > b.value;
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
static Number
sqrt(const Number & a)
{
  return {std::sqrt(a.value), a.slope / (2 * std::sqrt(a.value))};
}
} // namespace neml2::test

TEST_CASE("The matrix of a rotation has the check values", "[kernels][Rot]")
{
  static_assert(close(euler_rodrigues(r),
                      R2<double>(0.19975377,
                                 -0.91720529,
                                 -0.34472145,
                                 0.67097568,
                                 0.38442598,
                                 -0.63404124,
                                 0.71406587,
                                 -0.10464758,
                                 0.69221299),
                      5e-9));
  static_assert(close(euler_rodrigues(Rot<double>()), I));
  static_assert(close(r * t, Rot<double>(0.30514176, 0.02691014, 0.28976454), 5e-9));
  static_assert(close(rotate(r, t), Rot<double>(0.28592023, -0.29985584, 0.07832773), 5e-9));
  static_assert(close(rotate(v, r), Vec<double>(-2.66882118, -0.46229609, 2.58140966), 5e-9));
  REQUIRE(
      close(rotate(S, r),
            SR2<double>(2.04315792, 1.64090871, 2.31593337, -0.92857414, -1.52768858, -0.33659263),
            5e-9));
}

TEST_CASE("A rotation turns vectors counterclockwise about its axis", "[kernels][Rot]")
{
  for (const auto & n : axes)
    for (const double theta : {0.0, 1e-8, 0.3, -1.2, pi / 2, 3.0, pi, 5.0, -6.0})
      REQUIRE(close(rotate(v, about(n, theta)), turned(v, n, theta)));
}

TEST_CASE("The matrix of a rotation is orthogonal and of determinant 1", "[kernels][Rot]")
{
  constexpr auto R = euler_rodrigues(r);
  static_assert(close(R * transpose(R), I) && close(det(R), 1));
  static_assert(close(R * Vec<double>(r[0], r[1], r[2]), Vec<double>(r[0], r[1], r[2])));
  static_assert(close(euler_rodrigues(inv(r)), transpose(R)));
  // The other parameters of the same rotation give the same matrix.
  REQUIRE(close(euler_rodrigues(-r / norm_sq(r)), R));
}

TEST_CASE("The matrix of a product of rotations is the product of their matrices", "[kernels][Rot]")
{
  static_assert(close(euler_rodrigues(r * t), euler_rodrigues(r) * euler_rodrigues(t)));
  static_assert(close(rotate(t, r), r * t));
  static_assert(close(r * inv(r), Rot<double>()) && close(inv(r) * r, Rot<double>()));
  static_assert(close(inv(r * t), inv(t) * inv(r)));
  static_assert(close(r * Rot<double>(), r) && close(Rot<double>() * r, r));
  // The angles of rotations about one axis add up.
  for (const auto & n : axes)
    REQUIRE(close(about(n, 0.7) * about(n, -1.9), about(n, -1.2)));
}

TEST_CASE("Rotating a tensor by parameters is rotating it by their matrix", "[kernels][Rot]")
{
  constexpr auto R = euler_rodrigues(r);
  constexpr auto C = outer(S, S) + isotropic_E_nu(3.0, 0.3);
  static_assert(close(rotate(A, r), rotate(A, R)));
  static_assert(close(rotate(S, r), rotate(S, R)));
  static_assert(close(rotate(C, r), rotate(C, R)));
  static_assert(close(full(rotate(S, r)), rotate(full(S), r)));
  static_assert(close(rotate(A, r) * rotate(v, r), rotate(A * v, r), 1e-13));
  static_assert(close(rotate(C, r) * rotate(S, r), rotate(C * S, r), 1e-13));
  static_assert(close(rotate(rotate(A, r), inv(r)), A));
  static_assert(close(rotate(rotate(v, t), r), rotate(v, r * t)));
  REQUIRE(close(rotate(rotate(C, r), inv(r)), C));
}

TEST_CASE("The rotation of a matrix has that matrix, at any angle about any axis", "[kernels][Rot]")
{
  for (const auto & n : axes)
    for (const double theta :
         {0.0, 1e-300, 1e-12, 1e-4, 0.5, 1.5, 3.0, pi - 1e-4, pi - 1e-9, pi - 1e-15, pi})
      for (const double sign : {1.0, -1.0})
      {
        const auto x = about(n, sign * theta);
        const auto y = fill_matrix(euler_rodrigues(x));
        REQUIRE(close(euler_rodrigues(y), euler_rodrigues(x)));
        REQUIRE(norm_sq(y) <= 1 + 1e-15);
        if (theta < pi - 1e-14)
          REQUIRE(close(y, x));
        else // either of the two half turns
          REQUIRE((close(y, x, 1e-14) || close(y, -x, 1e-14)));
      }
  // For small angles every digit is right.
  const auto tiny = fill_matrix(euler_rodrigues(about(axes[5], 1e-12)));
  REQUIRE(std::abs(tiny[1] / about(axes[5], 1e-12)[1] - 1) < 1e-14);
}

TEST_CASE("The rotation of a matrix is by at most π", "[kernels][Rot]")
{
  for (const auto & n : axes)
  {
    const auto x = about(n, 1.4 * pi);
    REQUIRE(norm_sq(x) > 1);
    REQUIRE(close(fill_matrix(euler_rodrigues(x)), -x / norm_sq(x)));
  }
  // Half turns about the axes have exact matrices.
  const R2<double> half_turns[] = {
      {1, 0, 0, 0, -1, 0, 0, 0, -1}, {-1, 0, 0, 0, 1, 0, 0, 0, -1}, {-1, 0, 0, 0, -1, 0, 0, 0, 1}};
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++)
      REQUIRE(fill_matrix(half_turns[k])[i] == (i == k));
}

TEST_CASE("Rodrigues parameters n tan(θ/2) and n tan(θ/4) are one rotation", "[kernels][Rot]")
{
  for (const auto & n : axes)
    for (const double theta : {0.0, 0.3, -1.2, 3.0})
    {
      const auto rho = n * (std::tan(theta / 2) / std::sqrt(norm_sq(n)));
      REQUIRE(close(fill_rodrigues(rho[0], rho[1], rho[2]), about(n, theta)));
    }
}

TEST_CASE("Formulas of rotations take floats and any number type, also mixed", "[kernels][Rot]")
{
  static_assert(std::is_same_v<decltype(r * Rot<Number>()), Rot<Number>>);
  static_assert(std::is_same_v<decltype(Rot<Number>() * r), Rot<Number>>);
  static_assert(std::is_same_v<decltype(Rot<float>() * Rot<float>()), Rot<float>>);
  static_assert(std::is_same_v<decltype(r * 2.0), Rot<double>>);
  static_assert(std::is_same_v<decltype(rotate(v, Rot<Number>())), Vec<Number>>);
  static_assert(std::is_same_v<decltype(rotate(Vec<Number>(), r)), Vec<Number>>);
  static_assert(std::is_same_v<decltype(rotate(S, Rot<Number>())), SR2<Number>>);
  static_assert(std::is_same_v<decltype(rotate(A, Rot<Number>())), R2<Number>>);
  static_assert(std::is_same_v<decltype(rotate(SSR4<double>(), Rot<Number>())), SSR4<Number>>);
  static_assert(std::is_same_v<decltype(euler_rodrigues(Rot<float>())), R2<float>>);
  REQUIRE(close(fill_matrix(euler_rodrigues(Rot<float>(0.1f, -0.2f, 0.3f))),
                Rot<float>(0.1f, -0.2f, 0.3f),
                1e-6));

  // ∂R_0j/∂r_k
  constexpr double slopes[3][3] = {{0.28078815, 1.90071979, -2.85107968},
                                   {-0.72464942, -0.39742323, -1.12747242},
                                   {2.09079177, 2.1588289, 1.34778312}};
  // ∂(t * r)/∂r
  constexpr double second[3][3] = {{0.97421558, 0.32404578, -0.11537766},
                                   {-0.34159547, 0.87075323, -0.43876532},
                                   {-0.04037583, 0.45188141, 0.92821692}};
  for (int k = 0; k < 3; k++)
  {
    const auto x = test::vary<Rot>(r, k);
    for (int j = 0; j < 3; j++)
    {
      REQUIRE(close(euler_rodrigues(x)(0, j).slope, slopes[j][k], 5e-9));
      REQUIRE(close(rotate(x, t)[j].slope, second[j][k], 5e-9));
      // A rotation that was converted to a matrix and back has its original slope.
      REQUIRE(close(fill_matrix(euler_rodrigues(x))[j].slope, j == k));
    }
  }
  // At the identity ∂r_i/∂R_jk = -ε_ijk / 8
  for (int k = 0; k < 9; k++)
    REQUIRE(close(fill_matrix(test::vary<R2>(I, k))[0].slope, ((k == 7) - (k == 5)) / 8.0));
  REQUIRE(close(fill_rodrigues(Number(0, 1), Number(0), Number(0))[0].slope, 0.5));
}
