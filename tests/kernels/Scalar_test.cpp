// SPDX-License-Identifier: MIT
#include "neml2/kernels/Scalar.h"

#include <cmath>
#include <type_traits>

#include "support/catch.h"

using namespace neml2::kernels;

TEST_CASE("The row of a scalar is the number itself", "[kernels][Scalar]")
{
  static_assert(std::is_same_v<Scalar<double>, double>);
  REQUIRE(std::is_same_v<Scalar<float>, float>);
}

TEST_CASE("where chooses by its condition", "[kernels][Scalar]")
{
  static_assert(where(true, 1.0, 2.0) == 1.0);
  static_assert(where(false, 1.0, 2.0) == 2.0);
  static_assert(std::is_same_v<decltype(where(true, 1.0f, 2.0f)), float>);
  REQUIRE(where(false, 1.0f, 2.0f) == 2.0f);
}

TEST_CASE("abs drops the sign", "[kernels][Scalar]")
{
  static_assert(neml2::kernels::abs(-2.5) == 2.5 && neml2::kernels::abs(2.5) == 2.5);
  static_assert(std::is_same_v<decltype(neml2::kernels::abs(2.0f)), float>);
  REQUIRE(neml2::kernels::abs(-2.5f) == 2.5f);
}

TEST_CASE("sqrt squared is the number", "[kernels][Scalar]")
{
  static_assert(std::is_same_v<decltype(neml2::kernels::sqrt(2.0f)), float>);
  REQUIRE(neml2::kernels::sqrt(6.25) == 2.5);
  REQUIRE(neml2::kernels::sqrt(6.25f) == 2.5f);
}

TEST_CASE("sign, heaviside and macaulay of plain numbers", "[kernels][Scalar]")
{
  static_assert(sign(-2.5) == -1 && sign(0.0) == 0 && sign(3.0f) == 1.0f);
  static_assert(heaviside(-2.5) == 0 && heaviside(0.0) == 0.5 && heaviside(3.0) == 1);
  static_assert(macaulay(-2.5) == 0 && macaulay(0.0) == 0 && macaulay(3.0) == 3);
  static_assert(dmacaulay(0.0) == 0.5 && deg2rad(180.0) == 3.141592653589793);
  static_assert(rad2deg(3.141592653589793) == 180.0);
  static_assert(std::is_same_v<decltype(heaviside(2.0f)), float>);
  for (const double x : {sign(std::nan("")), heaviside(std::nan("")), macaulay(std::nan(""))})
    REQUIRE(std::isnan(x));
}

TEST_CASE("clamp keeps a number within bounds, the upper one last", "[kernels][Scalar]")
{
  static_assert(clamp(-1.0, 0.0, 2.0) == 0 && clamp(1.0, 0.0, 2.0) == 1 &&
                clamp(3.0, 0.0, 2.0) == 2);
  static_assert(clamp(1.0, 2.0, 0.0) == 0);
  REQUIRE(std::isnan(clamp(std::nan(""), 0.0, 1.0)));
  REQUIRE(std::isnan(clamp(0.5, std::nan(""), 1.0)));
}
