// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/tile_source.h"
#include "neml2/kernels/inline.h"
#include "neml2/recorded/layout_check.h"

#include <vector>

namespace neml2::recorded
{
namespace tile_source
{
/// item(0), item(1), ... item(n - 1), separated by commas.
template <class Item>
std::string
listed(int n, const Item & item)
{
  std::string s;
  for (int k = 0; k < n; k++)
    s += (k == 0 ? std::string() : ", ") + item(k);
  return s;
}

inline std::string
type(const RowType & t)
{
  return t.name ? t.name
                : "TensorOf<" + listed(t.dims, [&](int d) { return std::to_string(t.shape[d]); }) +
                      ">";
}
inline std::string
types(const List<RowType> & all)
{
  return "Types<" + listed(all.size, [&](int k) { return type(all[k]); }) + ">";
}

inline std::string
sizes(const std::vector<int> & all)
{
  return "Sizes<" + listed(int(all.size()), [&](int k) { return std::to_string(all[size_t(k)]); }) +
         ">";
}

/// The operator in the name of an operation; an empty text if the name is that of a function.
inline std::string
operator_of(const std::string & name)
{
  for (const char * const o : {" + ", " - ", " * ", " / "})
    if (name.find(o) != std::string::npos)
      return o;
  return "";
}

/// The expression of an operation, from its name: "SSR4 * SR2" is an operator, "Rot::fill_matrix" and
/// "dev" are functions.
inline std::string
expression(const std::string & name, int arguments)
{
  const auto argument = [](int k) { return "a" + std::to_string(k); };
  const std::string parameters =
      listed(arguments, [&](int k) { return "const auto & " + argument(k); });
  const std::string infix = operator_of(name);
  const size_t scope = name.rfind("::");
  return "[](" + parameters + ") { return " +
         (infix.empty() ? (scope == std::string::npos ? name : name.substr(scope + 2)) + "(" +
                              listed(arguments, argument) + ")"
                        : argument(0) + infix + argument(1)) +
         "; }";
}

} // namespace tile_source

NEML2_BODY std::string
cuda_source(const TileText & t, bool is_float)
{
  using namespace tile_source;
  std::vector<int> from, to;
  for (const RowType & a : t.arguments)
    from.push_back(a.numbers());
  for (const RowType & r : t.results)
    to.push_back(r.numbers());
  const std::string operands = sizes(from) + ", " + sizes(to);
  const std::string numbers =
      listed(t.arguments.size, [&](int k) { return t.arguments[k].is_number ? "true" : "false"; });
  return "#include \"neml2/recorded/cuda_operation.h\"\n" + layout_check() +
         "namespace neml2_operation\n{\nusing namespace neml2::kernels;\n"
         "constexpr auto operation = " +
         (t.text[0] == '[' ? std::string(t.text) : expression(t.text, t.arguments.size)) +
         ";\n}\n"
         "using namespace neml2;\nusing namespace neml2::packs;\nusing namespace neml2::recorded;\n"
         "using Tile = ForwardTile<decltype(neml2_operation::operation), " +
         types(t.results) + ", " + types(t.arguments) +
         ">;\n"
         "extern \"C\" __global__ void\nneml2_kernel(const KernelArguments<" +
         std::to_string(from.size() + to.size()) +
         "> arguments)\n{\n  Kernel<TileOfOperation<Tile, neml2_operation::operation, " + operands +
         ">, " + (is_float ? "float" : "double") + ", " + operands + ", IsNumber<" + numbers +
         ">>::run(arguments);\n}\n";
}
} // namespace neml2::recorded
