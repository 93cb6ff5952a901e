// SPDX-License-Identifier: MIT
#include "neml2/kernels/skew_products.h"
#include "neml2/kernels/drotate.h"
#include "support/number.h"

#include "support/catch.h"

using namespace neml2;
using namespace neml2::kernels;
using test::close;
using test::Number;

namespace
{
constexpr SR2<double> a(1, 2, 3, 0.4, 0.5, 0.6), b(-2, 0.5, 1, 3, -1, 2);
constexpr WR2<double> w(0.3, -0.4, 0.5);
constexpr R2<double> W = skew(Vec<double>(0.3, -0.4, 0.5));
} // namespace

TEST_CASE("Products of skew and symmetric tensors are those of their matrices",
          "[kernels][skew_products]")
{
  static_assert(close(skew_and_sym_to_sym(a, w), sym(W * full(a) - full(a) * W)));
  constexpr auto P = full(a) * full(b) - full(b) * full(a);
  static_assert(close(multiply_and_make_skew(a, b), WR2<double>(P(2, 1), P(0, 2), P(1, 0))));
  REQUIRE(close(multiply_and_make_skew(a, a), WR2<double>()));
}

TEST_CASE("Derivatives of the products have the slopes of each argument",
          "[kernels][skew_products]")
{
  for (int k = 0; k < 6; k++)
  {
    const auto x = test::vary<SR2>(a, k), y = test::vary<SR2>(b, k);
    for (int i = 0; i < 6; i++)
      REQUIRE(close(skew_and_sym_to_sym(x, w)[i].slope, d_skew_and_sym_to_sym_d_sym(w)(i, k)));
    for (int i = 0; i < 3; i++)
    {
      REQUIRE(
          close(multiply_and_make_skew(x, b)[i].slope, d_multiply_and_make_skew_d_first(b)(i, k)));
      REQUIRE(
          close(multiply_and_make_skew(a, y)[i].slope, d_multiply_and_make_skew_d_second(a)(i, k)));
    }
  }
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 6; i++)
      REQUIRE(close(skew_and_sym_to_sym(a, test::vary<WR2>(w, k))[i].slope,
                    d_skew_and_sym_to_sym_d_skew(a)(i, k)));
}

TEST_CASE("A rotation turns with the rate of its parameters", "[kernels][SSFR5]")
{
  const Rot<double> r(0.1, -0.2, 0.3);
  const auto R = euler_rodrigues(r);
  for (int k = 0; k < 3; k++)
  {
    const auto dR = euler_rodrigues(test::vary<Rot>(r, k));
    const auto w_k = spin_by_rate(r);
    const auto expected = skew(Vec<double>(w_k(0, k), w_k(1, k), w_k(2, k))) * R;
    for (int i = 0; i < 9; i++)
      REQUIRE(close(dR[i].slope, expected[i]));
  }
}

TEST_CASE("drotate of a fourth order tensor has the slopes of rotate", "[kernels][SSFR5]")
{
  const Rot<double> r(0.1, -0.2, 0.3);
  SSR4<double> C;
  for (int i = 0; i < 36; i++)
    C[i] = i + 1;
  const auto d = drotate(C, r);
  for (int k = 0; k < 3; k++)
  {
    const auto turned = rotate(C, test::vary<Rot>(r, k));
    for (int i = 0; i < 36; i++)
      REQUIRE(close(d[3 * i + k], turned[i].slope, 1e-12));
  }
}
