// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/tile_source.h"
#include "neml2/kernels/inline.h"
#include "neml2/recorded/layout_check.h"

#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>

namespace neml2::recorded
{
NEML2_BODY std::string
number_text(double x)
{
  if (!std::isfinite(x))
    return std::isnan(x) ? "std::numeric_limits<double>::quiet_NaN()"
           : x > 0       ? "std::numeric_limits<double>::infinity()"
                         : "-std::numeric_limits<double>::infinity()";
  char text[64];
  std::snprintf(text, sizeof text, "%.17g", x);
  const std::string s = text;
  return s.find_first_of(".e") == std::string::npos ? s + ".0" : s;
}

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
places(const List<size_t> & all)
{
  return "std::index_sequence<" + listed(all.size, [&](int k) { return std::to_string(all[k]); }) +
         ">";
}

inline std::string
sizes(const std::vector<int> & all)
{
  return "Sizes<" + listed(int(all.size()), [&](int k) { return std::to_string(all[size_t(k)]); }) +
         ">";
}

/// The operator in the name of an operation; an empty text if the operation is a function.
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

inline std::string
definitions(const FormulaText & f)
{
  Definitions all;
  if (f.define)
    f.define(all);
  std::string text;
  for (size_t i = 0; i < all.size(); i++)
  {
    bool is_defined = false;
    for (size_t j = 0; j < i; j++)
      if (all[j].name == all[i].name)
      {
        if (all[j].text != all[i].text)
          throw std::invalid_argument("a formula names two things " + all[i].name +
                                      ": rename one of them");
        is_defined = true;
      }
    if (is_defined)
      continue;
    const size_t scope = all[i].name.rfind("::");
    const bool is_scoped = scope != std::string::npos;
    const std::string name = is_scoped ? all[i].name.substr(scope + 2) : all[i].name;
    const std::string constant = all[i].is_type
                                     ? all[i].text + "\n"
                                     : "constexpr auto " + name + " = " + all[i].text + ";\n";
    text += is_scoped ? "namespace " + all[i].name.substr(0, scope) + " { " + constant + "}\n"
                      : constant;
  }
  return text;
}
} // namespace tile_source

NEML2_BODY std::string
cuda_source(const TileText & t, bool is_float)
{
  using namespace tile_source;
  std::vector<int> from, to;
  std::vector<bool> is_number;
  for (const RowType & a : t.arguments)
  {
    from.push_back(a.numbers());
    is_number.push_back(a.is_number);
  }
  for (const RowType & r : t.results)
  {
    const bool is_gradient = t.kind == TileText::Kind::gradient;
    (is_gradient ? from : to).push_back(r.numbers());
    if (is_gradient)
      is_number.push_back(false);
  }
  std::string tile = "Formula, ";
  if (t.kind == TileText::Kind::value)
    tile = "ForwardTile<" + tile;
  else if (t.kind == TileText::Kind::jacobian)
    tile = "JacobianTile<" + tile + places(t.by) + ", ";
  else
    tile = "VectorJacobianTile<" + tile + std::to_string(t.by[0]) + ", ";
  tile += types(t.results) + ", " + types(t.arguments);
  if (t.kind == TileText::Kind::jacobian)
    tile += ", " + places(t.of);
  for (const size_t i : t.of)
    for (const size_t k : t.by)
      to.push_back(t.results[int(i)].numbers() * t.arguments[int(k)].numbers());
  if (t.kind == TileText::Kind::gradient)
    to.push_back(t.arguments[int(t.by[0])].numbers());
  const std::string operands = sizes(from) + ", " + sizes(to);
  const std::string numbers =
      listed(int(is_number.size()), [&](int k) { return is_number[size_t(k)] ? "true" : "false"; });
  const FormulaText & f = t.formula;
  return "#include \"neml2/recorded/cuda_formula.h\"\n" + layout_check() +
         "namespace neml2_formula\n{\nusing namespace neml2" +
         std::string(f.is_operation ? "::kernels" : "") + ";\n" + definitions(f) +
         "constexpr auto " + (f.call ? "of_groups" : "formula") + " = " +
         (f.is_operation && f.text[0] != '[' ? expression(f.text, t.arguments.size)
                                             : std::string(f.text)) +
         ";\n" + (f.call ? "constexpr auto formula = " + f.call("of_groups") + ";\n" : "") +
         "}\n"
         "using namespace neml2;\nusing namespace neml2::packs;\nusing namespace neml2::recorded;\n"
         "using Formula = decltype(neml2_formula::formula);\n"
         "using Tile = " +
         tile +
         ">;\n"
         "extern \"C\" __global__ void\nneml2_kernel(const KernelArguments<" +
         std::to_string(from.size() + to.size()) +
         "> arguments)\n{\n  Kernel<TileFormula<Tile, neml2_formula::formula, " + operands + ">, " +
         (is_float ? "float" : "double") + ", " + operands + ", IsNumber<" + numbers +
         ">>::run(arguments);\n}\n";
}
} // namespace neml2::recorded
