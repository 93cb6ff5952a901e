// SPDX-License-Identifier: MIT
#include "neml2/tensors/LabeledAxis.h"
#include "neml2/tensors/LabeledAxisPicture.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/Scalar.h"

#include <atomic>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "support/catch.h"

using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using Names = std::vector<LabeledAxisAccessor>;
using Ranges = std::vector<std::pair<Size, Size>>;
using RangePairs = std::vector<CommonRange>;

namespace
{
/// The example of the reference: a 0-1, b 1-7, S 7-15 with S/w 7-13, S/x 13-14, S/t/y 14-15.
LabeledAxis
example()
{
  LabeledAxis axis;
  axis.add<Scalar>({"S", "x"}).add<SR2>("b").add<Scalar>({"S", "t", "y"}).add<SR2>({"S", "w"});
  axis.add<Scalar>("a");
  axis.setup_layout();
  return axis;
}

std::string
text(const LabeledAxis & axis)
{
  std::ostringstream s;
  s << axis;
  return s.str();
}
} // namespace

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
  REQUIRE_THROWS_WITH(path[2], ContainsSubstring("'sub/b' has 2 names, none at 2"));
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
  REQUIRE(map.at(Slice()) == "a"); // begins at 0
  REQUIRE(map.count(Slice(8, 9)) == 0);

  const LabeledAxis::AssemblySliceCmp less;
  REQUIRE(less(Slice(1, 9), Slice(2, 3)));
  REQUIRE(!less(Slice(2, 3), Slice(1, 9)));
  REQUIRE(!less(Slice(2, 3), Slice(2, 9)));
  for (const auto & i : {indexing::TensorIndex(3), indexing::TensorIndex("...")})
  {
    REQUIRE_THROWS_WITH(less(Slice(), i), ContainsSubstring("is no slice"));
    REQUIRE_THROWS_WITH(less(i, Slice()), ContainsSubstring("AssemblySliceCmp: the index"));
  }
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
  axis.add<SR2>("a"); // the same again: nothing
  REQUIRE(axis.nvariable() == 2);
  REQUIRE_THROWS_WITH(axis.add<Scalar>("a"),
                      ContainsSubstring("a variable 'a' of size 6 already; one of size 1"));
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
  REQUIRE(before == example()); // what shared it is as it was
}

TEST_CASE("What is not on the axis, or not laid out yet, is refused with its name",
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
  b.subaxis("s") = example(); // set up, but the sub-axis gets a layout of its own
  REQUIRE(b.subaxis({"s", "S"}).qualify("x").str() == "s/S/x");
  b.add<Scalar>({"s", "z"}).setup_layout();
  REQUIRE(b.range({"s", "z"}) == std::pair<Size, Size>(7, 8));
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

TEST_CASE("What two axes have in common is visited by path, with its entries on both",
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

TEST_CASE("An axis prints a line a variable", "[tensors][labels]")
{
  REQUIRE(text(example()) == "    a: 0:1:1\n"
                             "    b: 1:7:1\n"
                             "  S/w: 7:13:1\n"
                             "  S/x: 13:14:1\n"
                             "S/t/y: 14:15:1");
  REQUIRE(text(LabeledAxis()).empty());
}

TEST_CASE("An axis draws its layout", "[tensors][labels]")
{
  LabeledAxis axis;
  axis.add<SR2>({"sub", "a"}).add<Scalar>({"sub", "b"});
  axis.add<SR2>("a").add<Scalar>("b").add<Scalar>("c");
  axis.setup_layout();
  REQUIRE(picture(axis) == " 0 1 2 3 4 5   6   7   8 9 10 11 12 13   14\n"
                           "|           | | | | | |---------------| |--|\n"
                           "|           | | | | |         a          b\n"
                           "|-----------| |-| |-| |--------------------|\n"
                           "      a        b   c           sub\n");
  LabeledAxis large;
  large.add<SSR4>("C");
  REQUIRE(picture(large) == " 0 ... 35\n|--------|\n    C\n");
  REQUIRE(picture(LabeledAxis()).find_first_not_of('\n') == std::string::npos);
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
  REQUIRE_THROWS_WITH(axis.add(last, 4), ContainsSubstring("of size 3 already; one of size 4"));
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
    too_large.clear(); // nothing of it is set up
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
