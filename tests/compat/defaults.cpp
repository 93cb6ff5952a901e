// SPDX-License-Identifier: MIT
#include "neml2/misc/defaults.h"
#include "neml2/misc/errors.h"

#include "support/errors.h"

#include <cmath>

#include "support/catch.h"

using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using test::error_of;

TEST_CASE("tolerances can be read and set", "[compat][options]")
{
  REQUIRE(machine_precision() == 1e-15);
  REQUIRE(tolerance() == 1e-6);
  REQUIRE(tighter_tolerance() == 1e-12);
  tolerance() = 1e-3;
  REQUIRE(tolerance() == 1e-3);
  tolerance() = 1e-6;
}

TEST_CASE("machine_precision of a dtype is the distance from 1 to the next number",
          "[compat][options]")
{
  REQUIRE(machine_precision(kFloat64) == std::nextafter(1.0, 2.0) - 1.0);
  REQUIRE(machine_precision(kFloat32) == double(std::nextafter(1.0f, 2.0f) - 1.0f));
  REQUIRE(machine_precision(kFloat16) == 9.7656e-4);
  REQUIRE_THAT(error_of([] { machine_precision(kInt64); }), ContainsSubstring("got Long"));
}

TEST_CASE("ParserException carries its message, and is not a NEMLException", "[compat][errors]")
{
  const ParserException e("no number");
  REQUIRE(std::string(e.what()) == "no number");
  REQUIRE(std::is_base_of_v<std::exception, ParserException>);
  REQUIRE(!std::is_base_of_v<NEMLException, ParserException>);
}
