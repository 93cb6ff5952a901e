// SPDX-License-Identifier: MIT
#include "neml2/tensors/LabeledAxisAccessor.h"

#include "support/catch.h"

namespace LabeledAxisAccessor_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("A path prints its names joined by a slash", "[tensors][labels]")
{
  const LabeledAxisAccessor path("sub", std::string("b"));
  REQUIRE(path.str() == "sub/b");
  REQUIRE(path.size() == 2);
  REQUIRE(path[1] == "b");
  REQUIRE(LabeledAxisAccessor().empty());
  REQUIRE(LabeledAxisAccessor().str().empty());
  REQUIRE(LabeledAxisAccessor(std::vector<std::string>{"sub", "b"}) == path);
  REQUIRE(path.vec() == std::vector<std::string>{"sub", "b"});
  REQUIRE(path.vec() == c10::SmallVector<std::string>{"sub", "b"});
  REQUIRE(path.vec() != std::vector<std::string>{"sub"});
  REQUIRE(std::vector<std::string>(path) == std::vector<std::string>{"sub", "b"});
  REQUIRE_THROWS_WITH(path[2], ContainsSubstring("'sub/b' has 2 names; index 2 is out of range"));
}

TEST_CASE("A label with white space, quotes or separators is refused", "[tensors][labels][errors]")
{
  for (const std::string bad :
       {" ", "a b", "a\t", "\n", "a\v", "\f", "a\r", "'", "a\"b", "sub/b", "a.b", "a,b", ";"})
  {
    REQUIRE_THROWS_WITH(LabeledAxisAccessor(bad), ContainsSubstring("Invalid item name"));
    REQUIRE_THROWS_WITH(LabeledAxisAccessor("sub", bad), ContainsSubstring("Invalid item name"));
    REQUIRE_THROWS_AS(LabeledAxisAccessor("ok").with_suffix(bad), NEMLException);
  }
  REQUIRE_THROWS_WITH(LabeledAxisAccessor(""), ContainsSubstring("Empty item variable name"));
  REQUIRE_THROWS_WITH(LabeledAxisAccessor("a", ""), ContainsSubstring("Empty item variable name"));
  REQUIRE_THROWS_AS(LabeledAxisAccessor(std::string("a\0b", 3)), NEMLException);
  REQUIRE_THROWS_AS(LabeledAxisAccessor(static_cast<const char *>(nullptr)), NEMLException);
  REQUIRE(LabeledAxisAccessor("σ_eq-1+x").str() == "σ_eq-1+x");
}

TEST_CASE("Paths are taken apart and put together", "[tensors][labels]")
{
  const LabeledAxisAccessor p("a", "b", "c");
  REQUIRE(p.slice(1) == LabeledAxisAccessor("b", "c"));
  REQUIRE(p.slice(-1) == LabeledAxisAccessor("c"));
  REQUIRE(p.slice(0, -1) == LabeledAxisAccessor("a", "b"));
  REQUIRE(p.slice(1, 2) == LabeledAxisAccessor("b"));
  REQUIRE(p.slice(3).empty());
  REQUIRE_THROWS_AS(p.slice(4), NEMLException);
  REQUIRE_THROWS_AS(p.slice(2, 1), NEMLException);
  REQUIRE_THROWS_AS(p.slice(-4), NEMLException);
  REQUIRE(p.append("d").str() == "a/b/c/d");
  REQUIRE(p.prepend("d").str() == "d/a/b/c");
  REQUIRE(p.remount("z").str() == "z/b/c");
  REQUIRE(p.remount({"y", "z"}, 2).str() == "y/z/c");
  REQUIRE(p.with_suffix("_rate").str() == "a/b/c_rate");
  REQUIRE(p.start_with({"a", "b"}));
  REQUIRE_FALSE(p.start_with({"b"}));
  REQUIRE_FALSE(LabeledAxisAccessor("a").start_with(p));
  REQUIRE(LabeledAxisAccessor("a") < p);
  REQUIRE(LabeledAxisAccessor("B") < LabeledAxisAccessor("a"));
  REQUIRE_FALSE(p < p);
  REQUIRE_THROWS_AS(LabeledAxisAccessor().with_suffix("x"), NEMLException);
}

TEST_CASE("State and forces have old values", "[tensors][labels]")
{
  REQUIRE(LabeledAxisAccessor("state", "x").old().str() == "old_state/x");
  REQUIRE(LabeledAxisAccessor("forces", "x").old().str() == "old_forces/x");
  REQUIRE(LabeledAxisAccessor("old_forces", "x").current().str() == "forces/x");
  REQUIRE(LabeledAxisAccessor("state", "x").current().str() == "state/x");
  REQUIRE_THROWS_AS(LabeledAxisAccessor("residual", "x").old(), NEMLException);
  REQUIRE_THROWS_AS(LabeledAxisAccessor("old_state", "x").old(), NEMLException);
  REQUIRE_THROWS_AS(LabeledAxisAccessor("residual", "x").current(), NEMLException);
  REQUIRE_THROWS_AS(LabeledAxisAccessor().old(), NEMLException);
  REQUIRE(LabeledAxisAccessor("state").is_state());
  REQUIRE(LabeledAxisAccessor("old_state").is_old_state());
  REQUIRE(LabeledAxisAccessor("forces").is_force());
  REQUIRE(LabeledAxisAccessor("old_forces").is_old_force());
  REQUIRE(LabeledAxisAccessor("residual").is_residual());
  REQUIRE(LabeledAxisAccessor("parameters").is_parameter());
  REQUIRE_FALSE(LabeledAxisAccessor("x", "state").is_state());
}
} // namespace LabeledAxisAccessor_test
