// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/Writer.h"
#include "neml2/recorded/layout_check.h"
#include "neml2/recorded/source.h"

namespace neml2::recorded
{
namespace source
{
inline bool
is_number(const Program & p, size_t argument)
{
  return argument < p.is_number.size() && p.is_number[argument];
}

/// The number of components of each operand.
inline std::string
sizes(const std::vector<Components> & operands)
{
  std::string text;
  for (const auto & c : operands)
    text += (text.empty() ? "" : ", ") + std::to_string(c.size());
  return text;
}

/// For each argument of a program, whether it is a plain number.
inline std::string
numbers(const Program & p)
{
  std::string text;
  for (size_t k = 0; k < p.arguments.size(); k++)
    text += std::string(k == 0 ? "" : ", ") + (is_number(p, k) ? "true" : "false");
  return text;
}

/// The #include of the functions of a matrix, which only some formulas call; empty if these operations do not call them.
inline std::string
include_matrix_functions(const Operations & o)
{
  for (const System & s : o.systems)
    if (is_matrix_function(s.op) && o.is_needed(size_t(s.node)))
      return "#include \"neml2/recorded/matrix_derivatives.h\"\n";
  return "";
}

/// The text of a struct Formula with two functions. once(x, s) computes the values s that depend only on constants and on arguments that
/// are plain numbers. each(x, s, y) computes the other values. x are the components of the arguments, y the components of the results.
inline std::string
formula(const Evaluator & e, const char * constant)
{
  const Operations & o = e.operations;
  Writer w(o, constant);
  std::vector<bool> is_shared(o.nodes.size());
  std::string load, once, each, store;
  int shared = 0, component = 0;
  for (size_t k = 0; k < e.program.arguments.size(); k++)
    for (const int32_t i : e.program.arguments[k])
    {
      is_shared[size_t(i)] = is_number(e.program, k);
      w.name(i) = "x[" + std::to_string(component++) + "]";
    }
  const std::vector<bool> left = o.left_to_newton([](const Loop & l) { return l.by_kernel(); });
  for (const size_t i : o.order())
  {
    const Node & n = o.nodes[i];
    if (n.op == Op::input || left[i])
      continue;
    const bool is_state = n.op == Op::state || n.op == Op::state_condition;
    if (is_state && o.loop(i).by_kernel())
    {
      if (int32_t(i) == o.loop(i).states.back())
        each += w.newton_head(i);
      continue;
    }
    if (n.op == Op::loop && o.loop(i).by_kernel())
    {
      each += w.newton_end(i);
      continue;
    }
    if (is_state)
    {
      const std::string head = w.head(i, "; it < ", " && any(", "); it++)\n    {\n");
      each += w.start(i, "    auto ", ";\n    for (int it = 0" + head);
      if (each.back() != '\n')
        each += ";\n";
      continue;
    }
    if (n.op == Op::loop)
    {
      each += w.next(i, "    ", ";\n") + "    }\n";
      continue;
    }
    if (n.op == Op::result || n.op == Op::result_condition)
    {
      w.name_result(i);
      continue;
    }
    if (is_of_system(n.op))
    {
      each += w.system(i);
      continue;
    }
    if (is_output(n.op))
      continue;
    if (n.op == Op::constant)
    {
      is_shared[i] = true;
      w.name(int32_t(i)) = "P(" + literal(n.number) + ")";
      continue;
    }
    is_shared[i] = !gives_condition(n.op);
    for (int k = 0; k < operand_count(n.op); k++)
      is_shared[i] = is_shared[i] && is_shared[size_t(n.operand[k])];
    std::string & name = w.name(int32_t(i));
    if (is_shared[i])
    {
      const std::string text = w.expression(int32_t(i));
      name = "s[" + std::to_string(shared++) + "]";
      once += "    " + name + " = " + text + ";\n";
      continue;
    }
    const std::string text = w.expression(int32_t(i));
    name = (gives_condition(n.op) ? "c" : "v") + std::to_string(i);
    each += "    const auto " + name + " = " + text + ";\n";
  }
  component = 0;
  for (const auto & c : e.program.results)
    for (const int32_t i : c)
      store += "    y[" + std::to_string(component++) + "] = " + w.name(i) + ";\n";
  // The unnamed namespace keeps the libraries of several formulas in one process from sharing static variables.
  return "namespace\n{\n"
         "struct Formula\n{\n"
         "  static constexpr int shared = " +
         std::to_string(shared) +
         ";\n"
         "  template <class P>\n  NEML2_INLINE static void once([[maybe_unused]] const P * x, "
         "[[maybe_unused]] P * s)\n  {\n" +
         once +
         "  }\n"
         "  template <class P>\n  NEML2_INLINE static void each([[maybe_unused]] const P * x, "
         "[[maybe_unused]] const P * s, P * y)\n  {\n" +
         each + store + "  }\n};\n} // namespace\n";
}
} // namespace source

NEML2_BODY std::string
cpp_source(const Evaluator & e)
{
  using namespace source;
  return "#include \"neml2/recorded/compiled_tile.h\"\n" + include_matrix_functions(e.operations) +
         "using namespace neml2;\nusing namespace neml2::recorded;\n" +
         formula(e, "static constexpr") +
         "extern \"C\" NEML2_ONE_A_PROGRAM void\nneml2_tile_loop(void ** run, int * width)\n{\n"
         "  give_tile_loop<Formula, " +
         (e.sums ? "true" : "false") + ", Sizes<" + sizes(e.program.arguments) + ">, Sizes<" +
         sizes(e.program.results) + ">>(run, width);\n}\n";
}

NEML2_BODY std::string
cuda_source(const Evaluator & e, bool is_float)
{
  using namespace source;
  const size_t operands = e.program.arguments.size() + e.program.results.size();
  return "#include \"neml2/recorded/cuda_kernel.h\"\n" + include_matrix_functions(e.operations) +
         "using namespace neml2;\nusing namespace neml2::recorded;\n" + layout_check() +
         formula(e, "const") + // for NVRTC 11 infinity is not a constant expression
         "extern \"C\" __global__ void\nneml2_kernel(const KernelArguments<" +
         std::to_string(operands) + "> arguments)\n{\n  Kernel<Formula, " +
         (is_float ? "float" : "double") + ", Sizes<" + sizes(e.program.arguments) + ">, Sizes<" +
         sizes(e.program.results) + ">, " + "IsNumber<" + numbers(e.program) +
         ">>::run(arguments);\n}\n";
}
} // namespace neml2::recorded
