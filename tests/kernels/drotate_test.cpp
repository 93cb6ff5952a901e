// SPDX-License-Identifier: MIT
#include "neml2/kernels/drotate.h"
#include "support/number.h"

#include "support/catch.h"

using namespace neml2;
using namespace neml2::kernels;
using test::close;
using test::Number;

namespace
{
constexpr Vec<double> v(1, 2, 3);
constexpr R2<double> A(1, 2, 3, 4, 5, 6, 7, 8, 10), R(0.5, 0.4, -0.8, -0.7, 0.6, 0.1, 0.4, 0.6, 1);
constexpr SR2<double> s(1, 2, 3, 0.4, 0.5, 0.6);
constexpr Rot<double> r(0.1, -0.2, 0.3);

/// Whether d holds the derivatives ∂f_i/∂x_k, row by row.
template <template <class> class X, class D, class F>
constexpr bool
is_derivative(const D & d, const F & f, const X<double> & x)
{
  constexpr int n = X<double>::n;
  for (int k = 0; k < n; k++)
  {
    const auto y = f(test::vary<X>(x, k));
    for (int i = 0; i < y.n; i++)
      if (!close(d[n * i + k], y[i].slope, 1e-13))
        return false;
  }
  return true;
}
} // namespace

TEST_CASE("drotate is the derivative of rotate by the parameters", "[kernels][drotate]")
{
  static_assert(is_derivative<Rot>(
      drotate(v, r), [](const auto & x) { return rotate(v, x); }, r));
  static_assert(is_derivative<Rot>(
      drotate(A, r), [](const auto & x) { return rotate(A, x); }, r));
  static_assert(is_derivative<Rot>(
      drotate(s, r), [](const auto & x) { return rotate(s, x); }, r));
  constexpr Rot<double> zero;
  REQUIRE(is_derivative<Rot>(
      drotate(A, zero), [](const auto & x) { return rotate(A, x); }, zero));
}

TEST_CASE("drotate is the derivative of rotate by the matrix", "[kernels][drotate]")
{
  static_assert(is_derivative<R2>(
      drotate(v, R), [](const auto & x) { return rotate(v, x); }, R));
  static_assert(is_derivative<R2>(
      drotate(A, R), [](const auto & x) { return rotate(A, x); }, R));
  REQUIRE(is_derivative<R2>(
      drotate(s, R), [](const auto & x) { return rotate(s, x); }, R));
}

TEST_CASE("drotate of one component that varies is of its type", "[kernels][drotate]")
{
  const auto x = test::vary<Rot>(r, 1);
  static_assert(std::is_same_v<decltype(drotate(v, x)), R2<Number>>);
  static_assert(std::is_same_v<decltype(drotate(A, x)), R3<Number>>);
  static_assert(std::is_same_v<decltype(drotate(s, x)), SFR3<Number>>);
  for (int i = 0; i < 9; i++)
    REQUIRE(close(drotate(v, x)[i].value, drotate(v, r)[i]));
}

TEST_CASE("contract_k contracts the last index", "[kernels][R3]")
{
  R3<double> t;
  for (int n = 0; n < 27; n++)
    t[n] = n * n;
  const auto b = contract_k(t, v);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      REQUIRE(b(i, j) == t(i, j, 0) + 2 * t(i, j, 1) + 3 * t(i, j, 2));
}

TEST_CASE("The dyad of two matrices holds all products", "[kernels][R4]")
{
  constexpr auto t = outer(A, R);
  static_assert(t(0, 1, 2, 0) == A(0, 1) * R(2, 0) && t(2, 2, 1, 2) == A(2, 2) * R(1, 2));
  for (int p = 0; p < 9; p++)
    for (int q = 0; q < 9; q++)
      REQUIRE(t[9 * p + q] == A[p] * R[q]);
}
