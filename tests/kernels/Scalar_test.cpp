// SPDX-License-Identifier: MIT
#include "neml2/kernels/Scalar.h"

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
