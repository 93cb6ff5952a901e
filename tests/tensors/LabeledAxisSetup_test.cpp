// SPDX-License-Identifier: MIT
#include "neml2/tensors/LabeledAxisSetup.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/Scalar.h"
#include "support/labels.h"

#include "support/catch.h"

namespace LabeledAxisSetup_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using test::labels::example;
using Names = std::vector<LabeledAxisAccessor>;

TEST_CASE("Every primitive type is a variable of its base storage", "[tensors][labels]")
{
  LabeledAxis axis;
  axis.add<SSR4>("C").add<LabeledAxis>({"s", "t"});
  axis.add_variable<Scalar>({"s", "t", "x"});
  axis.add("raw", 5).add({}, 3);
  REQUIRE(axis.size("C") == 36);
  REQUIRE(axis.size() == 42); // also before it is set up
  REQUIRE_FALSE(axis.is_setup());
  axis.setup_layout();
  axis.setup_layout();
  REQUIRE(axis.is_setup());
  REQUIRE(axis.size() == 42);
}

TEST_CASE("Names are unique on each level, not across levels", "[tensors][labels][errors]")
{
  LabeledAxis axis;
  axis.add<SR2>("a").add<SR2>({"sub", "a"});
  axis.add<SR2>("a"); // adding the same item again has no effect
  REQUIRE(axis.nvariable() == 2);
  REQUIRE_THROWS_WITH(
      axis.add<Scalar>("a"),
      ContainsSubstring("already has a variable 'a' of size 6; a variable of size 1"));
  REQUIRE_THROWS_WITH(axis.add<SR2>("sub"), ContainsSubstring("'sub' is a sub-axis already"));
  REQUIRE_THROWS_WITH(axis.add_subaxis("a"), ContainsSubstring("'a' is a variable already"));
  REQUIRE_THROWS_WITH(axis.add<SR2>({"a", "b"}), ContainsSubstring("'a' is a variable already"));
  REQUIRE_THROWS_AS(axis.add<SR2>({"new", "sub", "a"}).add<SR2>({"new", "sub", "a", "b"}),
                    NEMLException);
  REQUIRE_THROWS_AS(axis.add("x", -1), NEMLException);
  REQUIRE_THROWS_AS(axis.add_variable({}, 1), NEMLException);
  REQUIRE_THROWS_AS(axis.add_subaxis({}), NEMLException);
  REQUIRE(axis.variable_names() == Names{{"a"}, {"new", "sub", "a"}, {"sub", "a"}});
}

TEST_CASE("A copy of an axis that is not set up is a deep one", "[tensors][labels]")
{
  LabeledAxis a;
  LabeledAxis & sub = a.add_subaxis("s");
  LabeledAxis b = a;
  sub.add<Scalar>("x");
  b.add<Scalar>({"s", "y"});
  REQUIRE(a.variable_names() == Names{{"s", "x"}});
  REQUIRE(b.variable_names() == Names{{"s", "y"}});
  REQUIRE(b.subaxis("s").qualify("y").str() == "s/y");
  b.subaxis("s") = example(); // the axis is set up, but the sub-axis gets its own layout
  REQUIRE(b.subaxis({"s", "S"}).qualify("x").str() == "s/S/x");
  b.add<Scalar>({"s", "z"}).setup_layout();
  REQUIRE(b.range({"s", "z"}) == std::pair<Size, Size>(7, 8));
}
} // namespace LabeledAxisSetup_test
