// SPDX-License-Identifier: MIT
#include "neml2/kernels/kronecker.h"
#include "support/number.h"

#include "support/catch.h"

using namespace neml2;
using namespace neml2::kernels;
using test::close;
using test::Number;

namespace
{
constexpr R2<double> A(1, 2, 3, 4, 5, 6, 7, 8, 10), B(2, -1, 0, 1, 3, -2, 0.5, 1, 4);
constexpr R2<double> K(1, -2, 3, 0.5, 2, 1, -1, 4, 2);
constexpr SR2<double> s(1, 2, 3, 0.4 * sqrt2, 0.5 * sqrt2, 0.6 * sqrt2);
constexpr R2<double> R(0.36, 0.48, -0.8, -0.8, 0.6, 0, 0.48, 0.64, 0.6); // a rotation
constexpr R2<double> I(1, 0, 0, 0, 1, 0, 0, 0, 1);
} // namespace

TEST_CASE("Kronecker products map a matrix to products with it", "[kernels][kronecker]")
{
  static_assert(close(kron(A, B) * K, A * K * transpose(B)));
  static_assert(close(kron_transposed(A, B) * K, A * transpose(K) * transpose(B)));
  static_assert(close(K * kron(A, B), transpose(A) * K * B));
  static_assert(close(sym_kron(A, B) * s, sym(A * full(s) * transpose(B))));
  static_assert(kron(A, B)(1, 2, 0, 1) == A(1, 0) * B(2, 1));
  static_assert(kron_transposed(A, B)(1, 2, 0, 1) == A(1, 1) * B(2, 0));
  static_assert(close(kron(A, B) * kron(B, A), kron(A * B, B * A)));
  REQUIRE(close(sym(kron(A, B)), sym_kron(A, B)));
}

TEST_CASE("The symmetric Kronecker product of a matrix turns Mandel components",
          "[kernels][kronecker]")
{
  static_assert(close(sym_kron(R, R), mandel_rotation(R)));
  static_assert(close(sym_kron(I, I) * s, s));
  REQUIRE(close(sym_kron(A, A), mandel_rotation(A)));
}

TEST_CASE("Kronecker products take symmetric tensors and any number type", "[kernels][kronecker]")
{
  static_assert(close(kron(s, A), kron(full(s), A)) && close(kron(A, s), kron(A, full(s))));
  static_assert(close(kron_transposed(s, s), kron_transposed(full(s), full(s))));
  static_assert(close(sym_kron(s, A), sym_kron(full(s), A)));
  static_assert(std::is_same_v<decltype(kron(A, R2<Number>())), R4<Number>>);
  static_assert(std::is_same_v<decltype(sym_kron(s, SR2<Number>())), SSR4<Number>>);
  const auto x = test::vary<R2>(A, 5);
  REQUIRE(kron(x, B)(1, 0, 2, 1).slope == B(0, 1));
}

TEST_CASE("A fourth order tensor of Mandel components and its 81 components convert",
          "[kernels][R4]")
{
  SSR4<double> C;
  for (int i = 0; i < 36; i++)
    C[i] = i + 1;
  const auto T = full(C);
  REQUIRE(close(T(0, 1, 2, 1), 17));
  REQUIRE(close(T(1, 0, 1, 2), 17));
  REQUIRE(close(T(0, 0, 1, 2), 4 * invsqrt2));
  REQUIRE(close(sym(T), C));
  REQUIRE(close(T * full(s), full(C * s)));
  REQUIRE(close(transpose_major(T), full(transpose_major(C))));
  REQUIRE(close(transpose_minor(T), T));
  REQUIRE(close(transpose_minor(kron(A, B)) * K, transpose(A * transpose(K) * transpose(B))));
  REQUIRE(close(rotate(T, R), full(rotate(C, R)), 1e-13));
  const auto any = kron(A, B) + kron_transposed(K, A);
  REQUIRE(close(rotate(any, R), kron(R, R) * any * transpose_major(kron(R, R)), 1e-13));
}
