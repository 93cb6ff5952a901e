// SPDX-License-Identifier: MIT
#include "neml2/tensors/LabeledAxisCommon.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/Scalar.h"

#include <sstream>

#include "support/catch.h"

namespace LabeledAxisCommon_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using RangePairs = std::vector<CommonRange>;

TEST_CASE("Axes are equal by their items, whatever the order of insertion", "[tensors][labels]")
{
  LabeledAxis a, b;
  a.add<Scalar>("x").add<SR2>({"s", "y"});
  b.add<SR2>({"s", "y"}).add<Scalar>("x");
  REQUIRE(a == b);
  a.setup_layout();
  REQUIRE(a == b);
  b.add<Scalar>({"s", "z"});
  REQUIRE(a != b);
  REQUIRE_FALSE(a.equals(LabeledAxis()));
}

TEST_CASE("Adjacent slices that two axes have in common are merged", "[tensors][labels]")
{
  LabeledAxis a, b;
  a.add("a", 1).add("b", 2).add("c", 3).add({"s", "d"}, 4);
  b.add("b", 2).add("c", 3).add({"s", "d"}, 4).add({"s", "e"}, 5);
  a.setup_layout();
  b.setup_layout();
  REQUIRE(a.common_ranges(b) == RangePairs{{{1, 10}, {0, 9}}});
  REQUIRE(a.common_ranges(b, false) == RangePairs{{{1, 6}, {0, 5}}});
  REQUIRE(a.common_ranges(LabeledAxis(b)).size() == 1);
  const auto indices = b.common_indices(a);
  REQUIRE(indices.size() == 1);
  REQUIRE(indices[0].first.slice().stop() == 9);
  REQUIRE(indices[0].second.slice().start() == 1);
  LabeledAxis c;
  c.add("a", 1).add("c", 3);
  c.setup_layout();
  REQUIRE(a.common_ranges(c) == RangePairs{{{0, 1}, {0, 1}}, {{3, 6}, {1, 4}}});
}

TEST_CASE("Common items of two axes are visited by path, with their entries on both",
          "[tensors][labels]")
{
  LabeledAxis a, b;
  a.add("a", 1).add({"s", "c"}, 2).add({"s", "t", "d"}, 3).add({"u", "x"}, 4);
  b.add("b", 5).add({"s", "c"}, 6).add({"s", "t", "d"}, 3).add({"s", "t", "e"}, 1).add("u", 4);
  const auto visited = [](const LabeledAxis & here, const LabeledAxis & there, bool recursive)
  {
    std::ostringstream text;
    here.visit_common(
        there,
        [&](const auto & path, const auto & x, const auto & y)
        {
          text << path() << " " << x.first << ":" << x.second << " " << y.first << ":" << y.second
               << "\n";
        },
        recursive);
    return text.str();
  };
  REQUIRE_THROWS_WITH(visited(a, b, true), ContainsSubstring("no layout yet"));
  a.setup_layout();
  REQUIRE_THROWS_WITH(visited(a, b, true), ContainsSubstring("no layout yet"));
  b.setup_layout();
  REQUIRE(visited(a, b, true) == "s/c 1:3 9:15\ns/t/d 3:6 15:18\n");
  REQUIRE(visited(b, a, true) == "s/c 9:15 1:3\ns/t/d 15:18 3:6\n");
  REQUIRE(visited(a, b, false).empty());
  REQUIRE(visited(a.subaxis("s"), b.subaxis("s"), true) == "c 0:2 0:6\nt/d 2:5 6:9\n");
}
} // namespace LabeledAxisCommon_test
