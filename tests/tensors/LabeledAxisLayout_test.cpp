// SPDX-License-Identifier: MIT
#include "neml2/tensors/LabeledAxisLayout.h"
#include "neml2/tensors/LabeledAxisPicture.h"
#include "neml2/tensors/SR2.h"
#include "support/labels.h"

#include <map>
#include <set>

#include "support/catch.h"

namespace LabeledAxisLayout_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using test::labels::example;
using test::labels::text;
using Names = std::vector<LabeledAxisAccessor>;
using Ranges = std::vector<std::pair<Size, Size>>;

TEST_CASE("Variables come before sub-axes, each in the order of their bytes", "[tensors][labels]")
{
  const LabeledAxis axis = example();
  REQUIRE(axis.size() == 15);
  REQUIRE(axis.range("a") == std::pair<Size, Size>(0, 1));
  REQUIRE(axis.range("b") == std::pair<Size, Size>(1, 7));
  REQUIRE(axis.range("S") == std::pair<Size, Size>(7, 15));
  REQUIRE(axis.range({"S", "w"}) == std::pair<Size, Size>(7, 13));
  REQUIRE(axis.range({"S", "x"}) == std::pair<Size, Size>(13, 14));
  REQUIRE(axis.range({"S", "t"}) == std::pair<Size, Size>(14, 15));
  REQUIRE(axis.range({"S", "t", "y"}) == std::pair<Size, Size>(14, 15));
  REQUIRE(axis.range({}) == std::pair<Size, Size>(0, 15));
  REQUIRE(axis.slice("b").start() == 1);
  REQUIRE(axis.slice("b").stop() == 7);
  const at::Tensor numbers = at::arange(15);
  REQUIRE(at::equal(numbers.index({axis.indices("b")}), at::arange(1, 7)));
  REQUIRE(at::equal(numbers.index({axis.indices()}), numbers));
  REQUIRE(axis.layout().at("S") == std::pair<Size, Size>(7, 15));
  REQUIRE(axis.variable_names() == Names{{"a"}, {"b"}, {"S", "w"}, {"S", "x"}, {"S", "t", "y"}});
  REQUIRE(axis.variable_names(false) == Names{{"a"}, {"b"}});
  REQUIRE(axis.variable_sizes() == std::vector<Size>{1, 6, 6, 1, 1});
  REQUIRE(axis.variable_slices() == Ranges{{0, 1}, {1, 7}, {7, 13}, {13, 14}, {14, 15}});
  for (Size i = 0; i < 5; i++)
    REQUIRE(axis.variable_id(axis.variable_names()[size_t(i)]) == i);
  REQUIRE(axis.subaxis_names() == std::vector<std::string>{"S"});
  REQUIRE(axis.subaxis_names(true) == Names{{"S"}, {"S", "t"}});
  REQUIRE(axis.subaxis_slices() == Ranges{{7, 15}});
  REQUIRE(axis.subaxis_slice({"S", "t"}) == std::pair<Size, Size>(14, 15));
  REQUIRE(axis.subaxis_sizes() == std::vector<Size>{8});
  REQUIRE(axis.subaxis_id("S") == 0);
  REQUIRE(axis.subaxes().front()->size() == 8);
  REQUIRE(axis.variable_slice({"S", "x"}) == std::pair<Size, Size>(13, 14));
  REQUIRE(axis.nvariable() == 5);
  REQUIRE(axis.nvariable(false) == 2);
  REQUIRE(axis.nsubaxis() == 1);
  REQUIRE(axis.nsubaxis(true) == 2);
  REQUIRE(axis.subaxis("S").range("x") == std::pair<Size, Size>(6, 7));
  REQUIRE(axis.subaxis("S").qualify("x") == LabeledAxisAccessor("S", "x"));
  REQUIRE(axis.subaxis({"S", "t"}).qualify("y").str() == "S/t/y");
  REQUIRE(axis.sort_by_assembly_order({{"S", "x"}, {"b"}, {"S", "w"}}) ==
          Names{{"b"}, {"S", "w"}, {"S", "x"}});
}

TEST_CASE("Slices of an axis are ordered by where they begin", "[tensors][LabeledAxis]")
{
  using indexing::Slice;
  const auto axis = example();
  std::map<indexing::TensorIndex, std::string, LabeledAxis::AssemblySliceCmp> map;
  for (const auto & name : std::set<LabeledAxisAccessor>(axis.variable_names()))
    map[axis.indices(name)] = name.str();
  std::vector<std::string> order;
  for (const auto & item : map)
    order.push_back(item.second);
  REQUIRE(order == std::vector<std::string>{"a", "b", "S/w", "S/x", "S/t/y"});
  REQUIRE(map.at(Slice(7, 13)) == "S/w");
  REQUIRE(map.at(Slice()) == "a"); // Slice() begins at 0
  REQUIRE(map.count(Slice(8, 9)) == 0);

  const LabeledAxis::AssemblySliceCmp less;
  REQUIRE(less(Slice(1, 9), Slice(2, 3)));
  REQUIRE(!less(Slice(2, 3), Slice(1, 9)));
  REQUIRE(!less(Slice(2, 3), Slice(2, 9)));
  for (const auto & i : {indexing::TensorIndex(3), indexing::TensorIndex("...")})
  {
    REQUIRE_THROWS_WITH(less(Slice(), i), ContainsSubstring("is not a slice"));
    REQUIRE_THROWS_WITH(less(i, Slice()), ContainsSubstring("AssemblySliceCmp: the index"));
  }
}

TEST_CASE("A hundred thousand variables on nested axes are found", "[tensors][labels]")
{
  LabeledAxis axis;
  const auto name = [](int i)
  {
    return LabeledAxisAccessor(
        "s" + std::to_string(i % 100), "t" + std::to_string(i % 7), "v" + std::to_string(i));
  };
  for (int i = 0; i < 100000; i++)
    axis.add_variable(name(i), 3);
  axis.setup_layout();
  REQUIRE(axis.size() == 300000);
  REQUIRE(axis.nvariable() == 100000);
  Size covered = 0;
  for (int i = 0; i < 100000; i += 997)
  {
    const auto [begin, end] = axis.range(name(i));
    covered += end - begin;
    REQUIRE(begin == 3 * axis.variable_id(name(i)));
  }
  REQUIRE(covered == 3 * 101);
}

TEST_CASE("Sizes of variables that 64 bits cannot sum are refused", "[tensors][labels][errors]")
{
  const Size half = Size(1) << 62;
  LabeledAxis axis;
  axis.add("a", half).add("b", half - 1);
  REQUIRE(axis.size() == 2 * (half - 1) + 1);
  for (const auto & path : {LabeledAxisAccessor("c"), LabeledAxisAccessor("S", "T", "c")})
  {
    LabeledAxis too_large = axis;
    too_large.add(path, half);
    const auto message = ContainsSubstring("'" + path.str() +
                                           "' of size 4611686018427387904 has "
                                           "9223372036854775807 entries before it");
    REQUIRE_THROWS_WITH(too_large.setup_layout(), message);
    REQUIRE_FALSE(too_large.is_setup());
    REQUIRE_THROWS_WITH(too_large.size(), message);
    REQUIRE_THROWS_WITH(text(too_large), message);
    REQUIRE_THROWS_WITH(picture(too_large), message);
    too_large.clear(); // no part of the axis is set up
    too_large.add("a", 1).setup_layout();
    REQUIRE(too_large.size() == 1);
  }
  LabeledAxis parts;
  parts.add({"S", "a"}, half).add({"T", "a"}, half);
  REQUIRE_THROWS_WITH(parts.setup_layout(), ContainsSubstring("'T/a' of size 4611686018427387904"));
  REQUIRE_THROWS_WITH(parts.size(), ContainsSubstring("'T/a' of size 4611686018427387904"));
  REQUIRE_FALSE(parts.subaxis("S").is_setup());
  parts.subaxis("S").add("b", half - 1); // it can still be modified
  REQUIRE(parts.subaxis("S").size() == 2 * (half - 1) + 1);
  axis.setup_layout();
  REQUIRE(axis.range("b").second == 2 * (half - 1) + 1);
}
} // namespace LabeledAxisLayout_test
