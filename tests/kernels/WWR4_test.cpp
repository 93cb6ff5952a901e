// SPDX-License-Identifier: MIT
#include "neml2/kernels/SWR4.h"
#include "neml2/kernels/WR2.h"
#include "neml2/kernels/WSR4.h"
#include "neml2/kernels/WWR4.h"
#include "neml2/kernels/kronecker.h"
#include "support/number.h"

#include "support/catch.h"

using namespace neml2;
using namespace neml2::kernels;
using test::close;

namespace
{
constexpr R2<double> A(1, 2, 3, 4, 5, 6, 7, 8, 10), B(2, -1, 0, 1, 3, -2, 0.5, 1, 4);
constexpr SR2<double> e(1, 2, 3, 0.4 * sqrt2, 0.5 * sqrt2, 0.6 * sqrt2);
constexpr WR2<double> w(0.3, -0.7, 1.1);
} // namespace

TEST_CASE("A tensor of two skew pairs and its 81 components convert", "[kernels][WWR4]")
{
  constexpr WWR4<double> v(1, 2, 3, 4, 5, 6, 7, 8, 9);
  constexpr R4<double> T = full_skew_pairs(v);
  static_assert(T(2, 1, 0, 2) == 2 && T(1, 2, 0, 2) == -2 && T(2, 1, 2, 0) == -2);
  static_assert(T(1, 2, 2, 0) == 2 && T(1, 0, 2, 1) == 7 && T(0, 0, 2, 1) == 0);
  static_assert(close(skew_by_skew(T), 4.0 * v));
  static_assert(close(transpose_minor(T), T));
  REQUIRE(close(skew_by_skew(T), 4.0 * v));
  // (A_ik B_jl) W_kl = A W Bᵀ, whose skew part twice is that of W_kl - W_lk
  const auto M = skew_by_skew(kron(A, B));
  const WR2<double> found = matmul<3, 3, 1, WR2<double>>(M, w);
  REQUIRE(close(found, 2.0 * skew_part(A * full(w) * transpose(B))));
}

TEST_CASE("Derivatives between symmetric and skew tensors are taken of all components",
          "[kernels][WWR4]")
{
  const auto T = kron(A, B) - kron_transposed(A, B); // T_ijkl = -T_ijlk, T : W = 2 A W Bᵀ
  const SR2<double> s = matmul<6, 3, 1, SR2<double>>(sym_by_skew(T), w);
  REQUIRE(close(s, 2.0 * sym(A * full(w) * transpose(B))));

  const R2<double> by_sym = kron(A, B) * full(e);
  const WR2<double> v = matmul<3, 6, 1, WR2<double>>(skew_by_sym(kron(A, B)), e);
  REQUIRE(close(v, WR2<double>(by_sym(2, 1), by_sym(0, 2), by_sym(1, 0))));
}
