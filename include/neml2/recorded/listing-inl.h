// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/Writer.h"
#include "neml2/recorded/listing.h"

namespace neml2::recorded
{
NEML2_BODY std::string
listing(const Evaluator & e)
{
  using namespace source;
  const Operations & o = e.operations;
  Writer w(o);
  std::string text;
  int k = 0;
  for (const auto & c : e.program.arguments)
  {
    for (size_t i = 0; i < c.size(); i++)
      w.name(c[i]) = "x" + std::to_string(k) + (c.size() == 1 ? "" : "[" + std::to_string(i) + "]");
    k++;
  }
  std::string indent;
  for (const size_t i : o.order())
  {
    const Node & n = o.nodes[i];
    if (n.op == Op::input)
      continue;
    if (n.op == Op::state || n.op == Op::state_condition)
    {
      text += indent + w.start(i, "", "\n" + indent + w.head(i, "at most ", " times while ", ":"));
      text += "\n";
      if (text[text.size() - 2] == ':')
        indent += "  ";
      continue;
    }
    if (n.op == Op::loop)
    {
      text += w.next(i, indent.c_str(), "\n");
      indent.resize(indent.size() - 2);
      continue;
    }
    if (n.op == Op::result || n.op == Op::result_condition)
    {
      w.name_result(i);
      continue;
    }
    if (is_of_system(n.op))
    {
      const System & s = o.system(i);
      const std::string own = "v" + std::to_string(i);
      text += indent + own + " = " + pattern(s.op) + "(" +
              w.names(s.operands.begin(), s.operands.end()) + ")\n";
      w.name_outputs(i, own);
      continue;
    }
    if (is_output(n.op))
      continue;
    if (n.op == Op::constant)
    {
      std::array<char, 40> number{};
      std::snprintf(number.data(), number.size(), "%.17g", n.number);
      std::array<char, 40> shorter{};
      std::snprintf(shorter.data(), shorter.size(), "%g", n.number);
      w.name(int32_t(i)) =
          std::strtod(shorter.data(), nullptr) == n.number ? shorter.data() : number.data();
      continue;
    }
    const std::string made = w.expression(int32_t(i));
    w.name(int32_t(i)) = (gives_condition(n.op) ? "c" : "v") + std::to_string(i);
    text += indent + w.name(int32_t(i)) + " = " + made + "\n";
  }
  k = 0;
  for (const auto & c : e.program.results)
  {
    text += "y" + std::to_string(k++) + " =";
    for (const int32_t i : c)
      text += " " + w.name(i);
    text += "\n";
  }
  return text;
}
} // namespace neml2::recorded
