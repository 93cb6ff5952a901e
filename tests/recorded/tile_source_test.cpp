// SPDX-License-Identifier: MIT
#include "neml2/recorded/layout_check.h"
#include "neml2/recorded/tile_source.h"

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

std::string
operation(const char * text)
{
  return cuda_source({text, {results, 1}, {arguments, 2}}, false);
}
} // namespace

TEST_CASE("An operation's name is an operator, or a function", "[recorded][source]")
{
  const std::string a = "[](const auto & a0, const auto & a1) { return ";
  REQUIRE_THAT(operation("SSR4 * SR2"), ContainsSubstring(a + "a0 * a1; }"));
  REQUIRE_THAT(operation("inner"), ContainsSubstring(a + "inner(a0, a1); }"));
  REQUIRE_THAT(operation("SSR4::cubic"), ContainsSubstring(a + "cubic(a0, a1); }"));
  REQUIRE_THAT(operation("[](auto a, auto b) { return b; }"),
               ContainsSubstring("operation = [](auto a, auto b) { return b; };"));
  REQUIRE_THAT(operation("inner"), ContainsSubstring("using namespace neml2::kernels;"));
}

TEST_CASE("A source names what a kernel computes", "[recorded][source]")
{
  REQUIRE(
      cuda_source({"[](const auto & a, const auto & b) { return a; }", {of_own, 1}, {of_own, 2}},
                  true) ==
      "#include \"neml2/recorded/cuda_operation.h\"\n" + layout_check() +
          "namespace neml2_operation\n{\nusing namespace neml2::kernels;\n"
          "constexpr auto operation = [](const auto & a, const auto & b) { return a; };\n}\n"
          "using namespace neml2;\nusing namespace neml2::packs;\nusing namespace "
          "neml2::recorded;\n"
          "using Tile = ForwardTile<decltype(neml2_operation::operation), "
          "Types<TensorOf<2, 3>>, Types<TensorOf<2, 3>, Number>>;\n"
          "extern \"C\" __global__ void\nneml2_kernel(const KernelArguments<3> arguments)\n{\n"
          "  Kernel<TileOfOperation<Tile, neml2_operation::operation, Sizes<6, 1>, Sizes<6>>, "
          "float, Sizes<6, 1>, Sizes<6>, IsNumber<false, true>>::run(arguments);\n}\n");
}
} // namespace tile_source_test
