// SPDX-License-Identifier: MIT
#include "neml2/kernels/stiffness.h"
#include "support/number.h"

#include "support/catch.h"

using namespace neml2;
using namespace neml2::kernels;
using test::close;
using test::Number;

TEST_CASE("Isotropic stiffnesses are the same from any two constants", "[kernels][stiffness]")
{
  constexpr double E = 100, nu = 0.3, G = E / 2.6, K = E / 1.2, l = E * nu / (1.3 * 0.4);
  constexpr auto C = isotropic_E_nu(E, nu);
  static_assert(close(isotropic_K_G(K, G), C) && close(isotropic_lambda_mu(l, G), C));
  static_assert(close(cubic(l + 2 * G, l, G), C));
  static_assert(close(orthotropic(E, E, E, nu, nu, nu, G, G, G), C, 1e-13));
  REQUIRE(close(transversely_isotropic(E, E, nu, nu, G), C, 1e-13));
}

TEST_CASE("The orthotropic stiffness is the inverse of the compliance", "[kernels][stiffness]")
{
  constexpr double E1 = 181, E2 = 10.3, E3 = 12, n12 = 0.28, n13 = 0.3, n23 = 0.4;
  constexpr auto C = orthotropic(E1, E2, E3, n12, n13, n23, 7.0, 8.0, 9.0);
  constexpr auto S = inv(C);
  static_assert(close(S(0, 0), 1 / E1) && close(S(1, 1), 1 / E2) && close(S(2, 2), 1 / E3));
  static_assert(close(S(0, 1), -n12 / E1) && close(S(0, 2), -n13 / E1) &&
                close(S(1, 2), -n23 / E2));
  static_assert(C(3, 3) == 18 && C(4, 4) == 16 && C(5, 5) == 14 && C(0, 4) == 0);
  REQUIRE(close(transpose_major(C), C, 0));
}

TEST_CASE("Stiffnesses take any number type, also mixed", "[kernels][stiffness]")
{
  static_assert(std::is_same_v<decltype(cubic(4.0, Number(1), 2.0)), SSR4<Number>>);
  static_assert(std::is_same_v<decltype(isotropic_K_G(4.0f, 1.0f)), SSR4<float>>);
  REQUIRE(isotropic_K_G(Number(4, 1), 1.0)(0, 1).slope == 1);
  REQUIRE(cubic(4.0, 1.0, Number(2, 1))(3, 3).slope == 2);
  const auto C = orthotropic(Number(2, 1), 2.0, 2.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0);
  REQUIRE(C(0, 0).slope == 1);
  REQUIRE(C(1, 1).slope == 0);
}
