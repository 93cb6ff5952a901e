// SPDX-License-Identifier: MIT
#include "neml2/tensors/LabeledAxisItems.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/Scalar.h"
#include "support/labels.h"

#include <set>

#include "support/catch.h"

namespace LabeledAxisItems_test
{
using namespace neml2;
using test::labels::example;
using Names = std::vector<LabeledAxisAccessor>;

TEST_CASE("The names of an axis are a set too", "[tensors][LabeledAxis]")
{
  using Set = std::set<LabeledAxisAccessor>;
  const auto axis = example();
  const Set expected{{"S", "t", "y"}, {"S", "w"}, {"S", "x"}, {"a"}, {"b"}};
  const Set copied = axis.variable_names(), direct(axis.variable_names());
  Set assigned;
  assigned = axis.variable_names();
  REQUIRE((copied == expected && direct == expected && assigned == expected));
  const auto size = [](const Set & names) { return names.size(); };
  REQUIRE(size(axis.variable_names()) == 5);
  REQUIRE(size(axis.variable_names(false)) == 2);
  REQUIRE(size(axis.subaxis_names(true)) == 2);
  REQUIRE(size(LabeledAxis().variable_names()) == 0);
  REQUIRE(axis.sort_by_assembly_order(axis.variable_names()) == axis.variable_names());
  const Names list = axis.variable_names(); // in the order of the layout
  REQUIRE(list == Names{{"a"}, {"b"}, {"S", "w"}, {"S", "x"}, {"S", "t", "y"}});
}

TEST_CASE("An axis knows what is on it", "[tensors][labels]")
{
  const LabeledAxis axis = example();
  REQUIRE(axis.has_item("a"));
  REQUIRE(axis.has_item("S"));
  REQUIRE(axis.has_variable({"S", "t", "y"}));
  REQUIRE_FALSE(axis.has_variable("S"));
  REQUIRE_FALSE(axis.has_variable({}));
  REQUIRE_FALSE(axis.has_item({}));
  REQUIRE_FALSE(axis.has_variable({"a", "b"}));
  REQUIRE(axis.has_variable<SR2>("b"));
  REQUIRE_FALSE(axis.has_variable<Scalar>("b"));
  REQUIRE(axis.has_subaxis({"S", "t"}));
  REQUIRE_FALSE(axis.has_subaxis("a"));
  REQUIRE(axis.variables().at("b") == 6);
  REQUIRE(axis.variable_size({"S", "w"}) == 6);
  REQUIRE(axis.storage_size("S") == 8);
  REQUIRE(axis.subaxis_size("S") == 8);
  LabeledAxis state;
  state.add_subaxis(STATE);
  state.add_subaxis("residual");
  REQUIRE((state.has_state() && state.has_residual() && !state.has_forces()));
  REQUIRE_FALSE((state.has_old_state() || state.has_old_forces() || state.has_parameters()));
  REQUIRE(reserved_subaxis_names().size() == 6);
}

TEST_CASE("All sub-axes of sub-axes are listed by their whole path", "[tensors][labels]")
{
  LabeledAxis axis;
  std::vector<LabeledAxisAccessor> expected;
  for (int i = 0; i < 10; i++)
  {
    const auto outer = "outer_axis_number_" + std::to_string(i);
    expected.push_back({outer});
    for (int k = 0; k < 10; k++)
    {
      const auto inner = "inner_axis_number_" + std::to_string(k);
      expected.push_back({outer, inner});
      axis.add_variable({outer, inner, "a"}, 1);
    }
  }
  axis.setup_layout();
  REQUIRE(axis.subaxis_names(true) == expected);
  REQUIRE(axis.nsubaxis(true) == 110);
}
} // namespace LabeledAxisItems_test
