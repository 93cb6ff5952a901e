// SPDX-License-Identifier: MIT
#include "neml2/core/errors.h"

#include "support/errors.h"

#include "support/catch.h"

namespace errors_test
{
using namespace neml2;
using test::error_of;

TEST_CASE("NEMLException carries its message and is a std::exception of its own", "[core][errors]")
{
  const NEMLException e("what went wrong");
  REQUIRE(std::string(e.what()) == "what went wrong");
  REQUIRE(std::is_base_of_v<std::exception, NEMLException>);
  REQUIRE(!std::is_base_of_v<std::runtime_error, NEMLException>);
}

TEST_CASE("neml_assert streams its parts back to back, and only on failure", "[core][errors]")
{
  REQUIRE(error_of([] { neml_assert(false, "a", 1, ' ', 2.5); }) == "a1 2.5");
  REQUIRE(error_of([] { neml2_assert(false, "a", 1); }) == "a1");
  REQUIRE(error_of([] { neml_assert(false); }).empty());
  REQUIRE(error_of([] { neml_assert(true, "a"); }) == "no error");
  REQUIRE(error_of([] { neml2_assert(true); }) == "no error");
}

TEST_CASE("neml_assert_dbg throws in translation units without NDEBUG only", "[core][errors]")
{
#ifdef NDEBUG
  const char * const expected = "no error";
#else
  const char * const expected = "bad 3";
#endif
  REQUIRE(error_of([] { neml_assert_dbg(false, "bad ", 3); }) == expected);
  REQUIRE(error_of([] { neml_assert_dbg(true, "bad ", 3); }) == "no error");
  // The two kinds are different functions, so that they can be linked together.
  REQUIRE(error_of([] { neml_assert_dbg<true>(false, "on"); }) == "on");
  REQUIRE(error_of([] { neml_assert_dbg<false>(false, "off"); }) == "no error");
}

TEST_CASE("NEML2_CHECK evaluates the parts of its message on failure only", "[core][errors]")
{
  int evaluated = 0;
  const auto part = [&] { return ++evaluated; };
  NEML2_CHECK(true, "part ", part());
  REQUIRE(evaluated == 0);
  REQUIRE(error_of([&] { NEML2_CHECK(1 + 1 == 3, "part ", part()); }) == "part 1");
  REQUIRE(evaluated == 1);
}

TEST_CASE("Exceptions for an index, a label or a matrix are NEMLExceptions too", "[core][errors]")
{
  REQUIRE_THROWS_AS(core::fail_as<IndexException>("index ", 3), NEMLException);
  REQUIRE_THROWS_AS(core::fail_as<LabelException>("label"), NEMLException);
  REQUIRE_THROWS_AS(core::fail_as<SingularException>("matrix"), NEMLException);
  REQUIRE(error_of([] { NEML2_CHECK_AS(IndexException, false, "index ", 3); }) == "index 3");
}
} // namespace errors_test
