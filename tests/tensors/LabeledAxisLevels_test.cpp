// SPDX-License-Identifier: MIT
#include "neml2/tensors/LabeledAxisLevels.h"
#include "neml2/tensors/LabeledAxisPicture.h"
#include "support/labels.h"

#include "support/catch.h"

namespace LabeledAxisLevels_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using test::labels::text;
using Names = std::vector<LabeledAxisAccessor>;
using RangePairs = std::vector<CommonRange>;

TEST_CASE("Twenty thousand sub-axes, each in the other, take neither stack nor quadratic time",
          "[tensors][labels]")
{
  const Size depth = 20000;
  const auto nested = [&]
  {
    LabeledAxis axis;
    LabeledAxis * a = &axis;
    for (Size i = 0; i < depth; i++)
    {
      a->add("x", i % 3);
      a = &a->add_subaxis("s");
    }
    a->add("last", 6);
    return axis;
  };
  const Size size = 6 + depth - depth % 3 + (depth % 3 == 2);
  LabeledAxis axis = nested();
  const LabeledAxis open = axis;
  REQUIRE(open.size() == size);
  REQUIRE(open.nvariable() == size_t(depth + 1));
  REQUIRE(open.nsubaxis(true) == size_t(depth));
  REQUIRE(open.variable_sizes().back() == 6);
  REQUIRE(open == axis);
  axis.setup_layout();
  REQUIRE(open == axis);
  REQUIRE(nested() == axis);

  const std::vector<std::string> levels(size_t(depth), "s");
  const LabeledAxisAccessor path(levels), last = path.append("last");
  REQUIRE(axis.size() == size);
  REQUIRE(axis.nvariable() == size_t(depth + 1));
  REQUIRE(axis.variable_sizes() == open.variable_sizes());
  REQUIRE(axis.variable_slices().back() == std::pair<Size, Size>(size - 6, size));
  REQUIRE(axis.subaxis_sizes() == std::vector<Size>{size});
  REQUIRE(axis.subaxes().size() == 1);
  REQUIRE(axis.has_variable(last));
  REQUIRE(axis.range(last) == std::pair<Size, Size>(size - 6, size));
  REQUIRE(axis.indices(last).slice().start() == size - 6);
  REQUIRE(axis.variable_id(last) == depth);
  REQUIRE_THROWS_WITH(axis.range(path.append("y")),
                      ContainsSubstring("Its variables are: x, s/x, s/s/x"));
  LabeledAxis other = nested();
  other.setup_layout();
  REQUIRE(axis.common_ranges(other) == RangePairs{{{0, size}, {0, size}}});

  LabeledAxis bottom = axis.subaxis(path);
  REQUIRE(bottom.qualify("last") == last);
  axis.clear();
  REQUIRE(bottom.qualify("last") == last);
  REQUIRE(bottom.range("last") == std::pair<Size, Size>(0, 6));
}

TEST_CASE(
    "A variable twenty thousand sub-axes deep is added by its path, listed, printed and drawn",
    "[tensors][labels]")
{
  const size_t depth = 20000;
  const auto last = LabeledAxisAccessor(std::vector<std::string>(depth, "s")).append("last");
  LabeledAxis axis;
  axis.add(last, 3).add("first", 1);
  REQUIRE_THROWS_WITH(axis.add(last, 4), ContainsSubstring("of size 3; a variable of size 4"));
  REQUIRE_THROWS_WITH(axis.add(last.append("x"), 4), ContainsSubstring("is a variable already"));
  REQUIRE(axis.variable_names() == Names{{"first"}, last});
  axis.setup_layout();
  REQUIRE(axis.variable_names() == Names{{"first"}, last});
  REQUIRE(text(axis) ==
          std::string(last.str().size() - 5, ' ') + "first: 0:1:1\n" + last.str() + ": 1:4:1");
  const std::string drawn = picture(axis);
  REQUIRE(size_t(std::count(drawn.begin(), drawn.end(), '\n')) == 1 + 2 * (depth + 1));
  REQUIRE(
      drawn.rfind("   0     1 2 3\n|     | |-----|\n|     |  last\n|     | |-----|\n|     |    s\n",
                  0) == 0);

  LabeledAxis holder;
  holder.add_subaxis("s") = axis;
  REQUIRE(holder.subaxis("s").subaxis(last.slice(0, -1)).qualify("x").size() == depth + 2);
  REQUIRE(holder.subaxis("s") == axis);
}
} // namespace LabeledAxisLevels_test
