// SPDX-License-Identifier: MIT
#include "neml2/kernels/solve.h"
#include "neml2/kernels/cholesky.h"
#include "neml2/packs/Pack.h"

#include <cmath>
#include <limits>

#include "support/catch.h"

using namespace neml2::kernels;

namespace
{
using Pack = neml2::packs::Pack<4>;

/// A pseudorandom number in [-1, 1].
double
number(int i)
{
  return std::sin(37.0 * i * i + 11.0);
}

template <class R>
R
filled(int seed, double diagonal = 0)
{
  R r;
  for (int i = 0; i < R::n; i++)
    r[i] = number(seed + i);
  const int n = R::n == 36 ? 6 : 3;
  for (int i = 0; i < n && diagonal != 0; i++)
    r[(n + 1) * i] = r[(n + 1) * i] + diagonal;
  return r;
}

template <class R>
double
distance(const R & a, const R & b)
{
  return norm(a - b);
}

/// a + ε b
template <template <class> class R>
R<Dual<double, 1>>
along(const R<double> & a, const R<double> & b)
{
  R<Dual<double, 1>> r{Unset()};
  set_values(r, a);
  set_partials(r, 0, b);
  return r;
}
} // namespace

TEST_CASE("The solution of numbers solves the system, for one right side and for many",
          "[kernels][solve]")
{
  for (int seed = 0; seed < 50; seed++)
  {
    const auto A = filled<R2<double>>(seed), B = filled<R2<double>>(seed + 100);
    const auto v = filled<Vec<double>>(seed + 200);
    REQUIRE(distance(A * solve(A, v), v) < 1e-11);
    REQUIRE(distance(A * solve(A, B), B) < 1e-11);
    const auto C = filled<SSR4<double>>(seed), D = filled<SSR4<double>>(seed + 100);
    const auto s = filled<SR2<double>>(seed + 200);
    REQUIRE(distance(C * solve(C, s), s) < 1e-10);
    REQUIRE(distance(C * solve(C, D), D) < 1e-10);
    REQUIRE(std::fabs(det(C * D) / (det(C) * det(D)) - 1) < 1e-9);
  }
}

TEST_CASE("Each lane has pivots of its own, and is NaN by itself", "[kernels][solve]")
{
  for (int place = 0; place < 4; place++)
  {
    R2<Pack> A;
    Vec<Pack> b;
    R2<double> one[4];
    for (int w = 0; w < 4; w++)
    {
      one[w] = filled<R2<double>>(10 * w);
      for (int i = 0; i < 3; i++) // the largest numbers are in different places per lane
        one[w](i, (i + w) % 3) = 5;
      if (w == place)
        one[w] = R2<double>(1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 4.0, 5.0, 6.0);
      for (int i = 0; i < 9; i++)
        A[i].lane(w, one[w][i]);
      for (int i = 0; i < 3; i++)
        b[i].lane(w, number(w + i));
    }
    const Vec<Pack> x = solve(A, b);
    for (int w = 0; w < 4; w++)
    {
      const auto alone = solve(one[w], Vec<double>(number(w), number(w + 1), number(w + 2)));
      for (int i = 0; i < 3; i++)
        if (w == place)
          REQUIRE((std::isnan(x[i].lane(w)) && std::isnan(alone[i])));
        else
          REQUIRE(x[i].lane(w) == alone[i]);
    }
  }
}

TEST_CASE("Derivatives of the solution are those of the implicit equation", "[kernels][solve]")
{
  const auto A = filled<SSR4<double>>(1, 2), dA = filled<SSR4<double>>(50);
  const auto b = filled<SR2<double>>(100), db = filled<SR2<double>>(150);
  const auto x = solve(A, b);
  const auto expected = solve(A, db - dA * x);
  const auto by_both = solve(along(A, dA), along(b, db));
  REQUIRE(distance(values_of(by_both), x) == 0);
  REQUIRE(distance(partials_of(by_both, 0), expected) < 1e-12);
  REQUIRE(distance(partials_of(solve(A, along(b, db)), 0), solve(A, db)) < 1e-12);
  REQUIRE(distance(partials_of(solve(along(A, dA), b), 0), solve(A, -(dA * x))) < 1e-12);
  const auto d = det(along(A, dA));
  REQUIRE(std::fabs(d.d[0] - d.x * inner(transpose_major(inv(A)), dA)) < 1e-12 * std::fabs(d.x));
}

TEST_CASE("The factor of Cholesky and its gradient", "[kernels][cholesky]")
{
  for (int seed = 0; seed < 20; seed++)
  {
    const auto B = filled<SSR4<double>>(seed, 1), dB = filled<SSR4<double>>(seed + 100);
    const auto A = B * transpose_major(B), dA = dB + transpose_major(dB);
    const auto L = cholesky(A);
    REQUIRE(distance(L * transpose_major(L), A) < 1e-13);
    for (int i = 0; i < 6; i++)
      for (int j = i + 1; j < 6; j++)
        REQUIRE(L(i, j) == 0);
    const auto dL = partials_of(cholesky(along(A, dA)), 0);
    REQUIRE(distance(dL * transpose_major(L) + L * transpose_major(dL), dA) < 1e-9);
    const auto g = filled<SSR4<double>>(seed + 200);
    const double expected = inner(g, dL); // the part of g above the diagonal does not count
    REQUIRE(std::fabs(inner(cholesky_gradient(L, g), dA) - expected) <
            1e-11 * (1 + std::fabs(expected)));
  }
  REQUIRE(std::isnan(cholesky(R2<double>(1.0, 2.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0, 1.0))[0]));
}

namespace
{
template <int n>
void
check_transposed(bool zero_first)
{
  LU<n, double> lu;
  double A[n][n], b[n][2], x[n][2];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      lu.a[i][j] = A[i][j] = i == 0 && j == 0 && zero_first ? 0 : number(n * i + 3 * j);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 2; k++)
      b[i][k] = x[i][k] = number(5 * i + k);
  lu.factor();
  lu.solve_transposed(x);
  for (int k = 0; k < 2; k++)
    for (int j = 0; j < n; j++)
    {
      double left = 0, size = 0;
      for (int i = 0; i < n; i++)
      {
        left += A[i][j] * x[i][k];
        size += std::abs(A[i][j] * x[i][k]);
      }
      REQUIRE(std::abs(left - b[j][k]) < 1e-13 * (1 + size));
    }
}
} // namespace

TEST_CASE("The solution of the transposed system solves it", "[kernels][solve]")
{
  check_transposed<1>(false);
  for (const bool zero_first : {false, true})
  {
    check_transposed<2>(zero_first);
    check_transposed<3>(zero_first);
    check_transposed<6>(zero_first);
    check_transposed<13>(zero_first);
  }
}
