// SPDX-License-Identifier: MIT
#include "neml2/tensors/LabeledAxis.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/Scalar.h"
#include "support/labels.h"

#include <atomic>
#include <thread>

#include "support/catch.h"

namespace LabeledAxis_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using test::labels::example;

TEST_CASE("An axis that is set up cannot be changed, until it is cleared",
          "[tensors][labels][errors]")
{
  LabeledAxis axis = example();
  REQUIRE_THROWS_WITH(axis.add<Scalar>("z"), ContainsSubstring("Cannot modify"));
  REQUIRE_THROWS_WITH(axis.add_subaxis("z"), ContainsSubstring("Cannot modify"));
  REQUIRE_THROWS_WITH(axis.subaxis("S").add<Scalar>("z"), ContainsSubstring("Cannot modify"));
  REQUIRE_THROWS_WITH(axis.subaxis("S").clear(), ContainsSubstring("Cannot modify"));
  REQUIRE_THROWS_WITH(axis.subaxis("S") = LabeledAxis(), ContainsSubstring("Cannot modify"));
  REQUIRE(axis == example());
  const LabeledAxis before = axis;
  axis.clear();
  REQUIRE(axis.size() == 0);
  axis.add<Scalar>("z").setup_layout();
  REQUIRE(axis.size() == 1);
  REQUIRE(before == example()); // the copy that shared the layout has not changed
}

TEST_CASE("An item that is not on the axis, or not laid out yet, is refused with its name",
          "[tensors][labels][errors]")
{
  const LabeledAxis axis = example();
  REQUIRE_THROWS_WITH(axis.range("zz"),
                      ContainsSubstring("no item 'zz'. Its variables are: a, b, S/w, S/x, S/t/y"));
  REQUIRE_THROWS_WITH(axis.range({"a", "b"}), ContainsSubstring("no item 'a/b'"));
  REQUIRE_THROWS_WITH(axis.range({"S", "q"}), ContainsSubstring("no item 'S/q'"));
  REQUIRE_THROWS_WITH(axis.size("q"), ContainsSubstring("no item 'q'"));
  REQUIRE_THROWS_WITH(axis.subaxis("a"), ContainsSubstring("no sub-axis 'a'"));
  REQUIRE_THROWS_WITH(axis.variable_id("S"), ContainsSubstring("no variable 'S'"));
  REQUIRE_THROWS_WITH(axis.variable_slice("S"), ContainsSubstring("no variable 'S'"));
  REQUIRE_THROWS_WITH(axis.variable_size("S"), ContainsSubstring("no variable 'S'"));
  REQUIRE_THROWS_WITH(axis.subaxis_id("a"), ContainsSubstring("no sub-axis 'a'"));
  REQUIRE_THROWS_AS(axis.sort_by_assembly_order({}), NEMLException);
  REQUIRE_THROWS_AS(axis.sort_by_assembly_order({{"zz"}}), NEMLException);
  LabeledAxis open;
  open.add<Scalar>("a");
  REQUIRE_THROWS_WITH(open.range("a"), ContainsSubstring("no layout yet"));
  REQUIRE_THROWS_WITH(open.layout(), ContainsSubstring("no layout yet"));
  REQUIRE_THROWS_WITH(open.variable_id("a"), ContainsSubstring("no layout yet"));
  REQUIRE_THROWS_WITH(open.common_indices(axis), ContainsSubstring("no layout yet"));
}

TEST_CASE("Many threads may read one axis", "[tensors][labels]")
{
  const LabeledAxis axis = example();
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; t++)
    threads.emplace_back(
        [&]
        {
          for (int i = 0; i < 1000; i++)
          {
            const LabeledAxis copy = axis;
            wrong += copy.range({"S", "x"}).first != 13 || copy.variable_id({"S", "t", "y"}) != 4;
          }
        });
  for (auto & t : threads)
    t.join();
  REQUIRE(wrong == 0);
}
} // namespace LabeledAxis_test
