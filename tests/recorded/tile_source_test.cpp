// SPDX-License-Identifier: MIT
#include "neml2/recorded/layout_check.h"
#include "neml2/recorded/tile_source.h"

#include <array>
#include <limits>

#include "support/catch.h"

namespace tile_source_test
{
using namespace neml2::recorded;
using Catch::Matchers::ContainsSubstring;

namespace
{
constexpr int64_t six[] = {6}, six_six[] = {6, 6}, two_three[] = {2, 3};
constexpr RowType SR2 = {"SR2", six, 1, false}, SSR4 = {"SSR4", six_six, 2, false},
                  number = {"Number", nullptr, 0, true}, own = {nullptr, two_three, 2, false};
constexpr RowType results[] = {SR2}, arguments[] = {SSR4, SR2}, of_own[] = {own, number};
constexpr size_t zero[] = {0}, one[] = {1};

std::string
operation(const char * text)
{
  return cuda_source({TileText::Kind::value, {text, true}, {results, 1}, {arguments, 2}}, false);
}
} // namespace

TEST_CASE("An operation's name is an operator, or a function", "[recorded][source]")
{
  const std::string a = "[](const auto & a0, const auto & a1) { return ";
  REQUIRE_THAT(operation("SSR4 * SR2"), ContainsSubstring(a + "a0 * a1; }"));
  REQUIRE_THAT(operation("inner"), ContainsSubstring(a + "inner(a0, a1); }"));
  REQUIRE_THAT(operation("SSR4::cubic"), ContainsSubstring(a + "cubic(a0, a1); }"));
  REQUIRE_THAT(operation("[](auto a, auto b) { return b; }"),
               ContainsSubstring("formula = [](auto a, auto b) { return b; };"));
  REQUIRE_THAT(operation("inner"), ContainsSubstring("using namespace neml2::kernels;"));
}

TEST_CASE("A source names what a kernel computes", "[recorded][source]")
{
  const FormulaText f = {"[](const auto & a, const auto & b) { return a; }", false};
  REQUIRE(cuda_source({TileText::Kind::value, f, {of_own, 1}, {of_own, 2}}, true) ==
          "#include \"neml2/recorded/cuda_formula.h\"\n" + layout_check() +
              "namespace neml2_formula\n{\nusing namespace neml2;\n"
              "constexpr auto formula = [](const auto & a, const auto & b) { return a; };\n}\n"
              "using namespace neml2;\nusing namespace neml2::packs;\nusing namespace "
              "neml2::recorded;\n"
              "using Formula = decltype(neml2_formula::formula);\n"
              "using Tile = ForwardTile<Formula, Types<TensorOf<2, 3>>, Types<TensorOf<2, 3>, "
              "Number>>;\n"
              "extern \"C\" __global__ void\nneml2_kernel(const KernelArguments<3> arguments)\n{\n"
              "  Kernel<TileFormula<Tile, neml2_formula::formula, Sizes<6, 1>, Sizes<6>>, float, "
              "Sizes<6, 1>, Sizes<6>, IsNumber<false, true>>::run(arguments);\n}\n");
  const std::string jacobian = cuda_source(
      {TileText::Kind::jacobian, f, {results, 1}, {arguments, 2}, {one, 1}, {zero, 1}}, false);
  REQUIRE_THAT(jacobian,
               ContainsSubstring("JacobianTile<Formula, std::index_sequence<1>, Types<SR2>, "
                                 "Types<SSR4, SR2>, std::index_sequence<0>>"));
  REQUIRE_THAT(jacobian, ContainsSubstring("KernelArguments<4>"));
  REQUIRE_THAT(jacobian, ContainsSubstring("double, Sizes<36, 6>, Sizes<6, 36>"));
  const std::string gradient =
      cuda_source({TileText::Kind::gradient, f, {results, 1}, {arguments, 2}, {zero, 1}}, false);
  REQUIRE_THAT(gradient,
               ContainsSubstring("VectorJacobianTile<Formula, 0, Types<SR2>, Types<SSR4, SR2>>"));
  REQUIRE_THAT(gradient,
               ContainsSubstring("Sizes<36, 6, 6>, Sizes<36>, IsNumber<false, false, false>"));
}

TEST_CASE("Names of a formula are defined before it, once", "[recorded][source]")
{
  FormulaText f = {"[](const auto & a, const auto &) { return k * a; }", false};
  const auto source = [&] {
    return cuda_source({TileText::Kind::value, f, {results, 1}, {arguments, 2}}, false);
  };
  f.define = [](Definitions & all)
  {
    all = {{"State", "template <class S> struct State { S s; };", true},
           {"k", "2.0"},
           {"model::rate", "3"},
           {"k", "2.0"}};
  };
  REQUIRE_THAT(
      source(),
      ContainsSubstring("using namespace neml2;\ntemplate <class S> struct State { S s; };\n"
                        "constexpr auto k = 2.0;\nnamespace model { constexpr auto rate = "
                        "3;\n}\nconstexpr auto formula = "));
  f.define = [](Definitions & all) { all = {{"k", "2.0"}, {"k", "3.0"}}; };
  REQUIRE_THROWS_WITH(source(), ContainsSubstring("two things k"));
  f.define = nullptr;
  f.call = [](const std::string & formula)
  { return "[](const auto & a) { return " + formula + "(a); }"; };
  REQUIRE_THAT(source(), ContainsSubstring("constexpr auto of_groups = [](const auto & a, const"));
  REQUIRE_THAT(source(),
               ContainsSubstring("formula = [](const auto & a) { return of_groups(a); };"));
}

TEST_CASE("Numbers are written exactly", "[recorded][source]")
{
  for (const double x : {0.1, -1.0 / 3.0, 1e300, 2.3e-308, 3.0})
    REQUIRE(std::stod(number_text(x)) == x);
  REQUIRE(number_text(3.0) == "3.0");
  REQUIRE(number_text(3) == "3");
  REQUIRE(number_text(true) == "true");
  const double infinity = std::numeric_limits<double>::infinity();
  REQUIRE(number_text(-infinity) == "-std::numeric_limits<double>::infinity()");
  REQUIRE(number_text(infinity - infinity) == "std::numeric_limits<double>::quiet_NaN()");
}
} // namespace tile_source_test
