// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/source.h"

#include <array>
#include <cstdio>

namespace neml2::recorded
{
namespace source
{
/// How an operation is written; $0, $1, $2 are its operands.
inline const char *
pattern(Op op)
{
  static constexpr std::array<const char *, size_t(Op::subtract_product) + 1> patterns = {
      "",
      "",
      "",
      "",
      "",
      "",
      "",
      "",
      "",
      "",
      "",
      "",
      "-$0",
      "abs($0)",
      "sqrt($0)",
      "cbrt($0)",
      "exp($0)",
      "expm1($0)",
      "log($0)",
      "log1p($0)",
      "log10($0)",
      "sin($0)",
      "cos($0)",
      "tan($0)",
      "asin($0)",
      "acos($0)",
      "atan($0)",
      "sinh($0)",
      "cosh($0)",
      "tanh($0)",
      "asinh($0)",
      "acosh($0)",
      "atanh($0)",
      "~$0",
      "$0 + $1",
      "$0 - $1",
      "$0 * $1",
      "$0 / $1",
      "pow($0, $1)",
      "atan2($0, $1)",
      "fmod($0, $1)",
      "minimum($0, $1)",
      "maximum($0, $1)",
      "$0 < $1",
      "$0 <= $1",
      "$0 == $1",
      "$0 != $1",
      "$0 & $1",
      "$0 | $1",
      "where($0, $1, $2)",
      "multiply_add($0, $1, $2)",
      "multiply_subtract($0, $1, $2)",
      "subtract_product($0, $1, $2)"};
  return patterns[size_t(op)];
}

/// A number that reads back as itself.
inline std::string
literal(double x)
{
  if (std::isnan(x))
    return "std::numeric_limits<double>::quiet_NaN()";
  if (std::isinf(x))
    return x > 0 ? "std::numeric_limits<double>::infinity()"
                 : "-std::numeric_limits<double>::infinity()";
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.17g", x);
  std::string s = text.data();
  for (char & c : s) // of whatever locale
    c = c == ',' ? '.' : c;
  return s.find_first_of(".e") == s.npos ? s + ".0" : s;
}

/// Names of values, and what each is made of.
class Writer
{
public:
  explicit Writer(const Operations & o) : _o(o), _name(o.nodes.size()) {}

  std::string & name(int32_t i) { return _name[size_t(i)]; }

  /// A state, declared as what it begins with; behind the last of a loop its head.
  std::string start(size_t i, const char * declare, const std::string & head)
  {
    const Loop & loop = _o.loop(i);
    std::string & own = _name[i];
    own = (gives_condition(_o.nodes[i].op) ? "c" : "v") + std::to_string(i);
    const bool is_last = size_t(_o.nodes[i].operand[1]) + 1 == loop.states.size();
    return declare + own + " = " + name(_o.initial(i)) + (is_last ? head : "");
  }
  /// What each state becomes, between these texts.
  std::string next(size_t i, const char * before, const char * after)
  {
    const Loop & loop = _o.loop(i);
    std::string text;
    for (size_t k = 0; k < loop.states.size(); k++)
      if (loop.next[k] >= 0)
        text += before + name(loop.states[k]) + " = " + name(loop.next[k]) + after;
    return text;
  }
  /// How many times a loop runs at most, and while what.
  std::string
  head(size_t i, const std::string & before, const std::string & between, const char * after)
  {
    const Loop & loop = _o.loop(i);
    return before + std::to_string(loop.most) + between + "c" + std::to_string(loop.active) + after;
  }
  /// Names of nodes, with commas.
  template <class I>
  std::string names(I from, I to)
  {
    std::string text;
    for (; from != to; ++from)
      text += (text.empty() ? "" : ", ") + name(*from);
    return text;
  }
  /// The outputs of a system, as kernels::LU has them, of the variable `own`.
  void name_outputs(size_t i, const std::string & own)
  {
    const System & s = _o.system(i);
    const auto entry = [](int k, int j) { return at(size_t(k)) + at(size_t(j)); };
    auto output = s.outputs.begin();
    if (s.op != Op::factor)
    {
      for (int k = 0; k < s.n; k++)
        name(*output++) = own + entry(k, 0);
      return;
    }
    for (int k = 0; k < s.n; k++)
      for (int j = 0; j < s.n; j++)
        name(*output++) = own + ".a" + entry(k, j);
    for (int k = 0; k < s.n; k++)
      name(*output++) = own + ".over" + at(size_t(k));
    name(*output++) = own + ".det";
    for (int k = 0; k < s.n; k++)
      for (int j = k + 1; j < s.n; j++)
        name(*output++) = own + ".swapped" + entry(k, j);
  }
  /// The statements that compute a system, with what kernels::LU has.
  std::string system(size_t i)
  {
    const System & s = _o.system(i);
    const std::string number = std::to_string(i), n = std::to_string(s.n);
    const auto first = s.operands.begin();
    std::string text = "    LU<" + n + ", P> f" + number + ";\n";
    if (s.op == Op::factor)
    {
      text += "    set_matrix(f" + number + ", {" + names(first, s.operands.end()) + "});\n    f" +
              number + ".factor();\n";
      name_outputs(i, "f" + number);
      return text;
    }
    const auto over = first + s.n * s.n, swapped = over + s.n, right = s.operands.end() - s.n;
    text += "    set_matrix(f" + number + ", {" + names(first, over) + "});\n    set_factor(f" +
            number + ", {" + names(over, swapped) + "}, {" + names(swapped, right) +
            "});\n    P v" + number + "[" + n + "][1] = {";
    for (auto b = right; b != s.operands.end(); ++b)
      text += (b == right ? "{" : ", {") + name(*b) + "}";
    text += "};\n    f" + number + (s.op == Op::solve ? ".solve" : ".solve_transposed") + "(v" +
            number + ");\n";
    name_outputs(i, "v" + number);
    return text;
  }
  void name_result(size_t i) { _name[i] = name(_o.loop(i).states[size_t(_o.nodes[i].operand[1])]); }

  /// The head of an iteration of newton, behind whose states it stands.
  std::string newton_head(size_t i)
  {
    const Loop & loop = _o.loop(i);
    const NewtonLoop & newton = *loop.newton;
    const std::string own = number_of(loop), n = std::to_string(newton.x.size());
    std::string guess, unknown;
    for (size_t k = 0; k < newton.x.size(); k++)
    {
      const char * const comma = k == 0 ? "" : ", ";
      guess += comma + name(_o.initial(size_t(newton.x[k])));
      unknown += comma + std::to_string(newton.unknown[k]);
      name(newton.x[k]) = "u" + own + at(k);
    }
    return "    static constexpr NewtonOptions o" + own + " = " + options(newton.options) +
           ";\n    static constexpr int k" + own + "[] = {" + unknown + "};\n    P x" + own +
           "[] = {" + guess + "};\n    const auto n" + own + " = iterate(x" + own + ", o" + own +
           ", k" + own + ", [&](const P (&u" + own + ")[" + n + "], P (&r" + own + ")[" + n +
           "][1], P (&J" + own + ")[" + n + "][" + n + "]) NEML2_INLINE_LAMBDA\n    {\n";
  }
  /// Its end; from then on its states are what it has found.
  std::string newton_end(size_t i)
  {
    const Loop & loop = _o.loop(i);
    const NewtonLoop & newton = *loop.newton;
    const std::string own = number_of(loop);
    const size_t n = newton.x.size();
    std::string text;
    for (size_t k = 0; k < n; k++)
      text += "    r" + own + at(k) + "[0] = " + name(newton.r[k]) + ";\n";
    for (size_t k = 0; k < n * n; k++)
      text += "    J" + own + at(k / n) + at(k % n) + " = " + name(newton.J[k]) + ";\n";
    for (size_t k = 0; k < n; k++)
      name(newton.x[k]) = "x" + own + at(k);
    name(newton.iterations) = "n" + own + ".iterations";
    name(newton.converged) = "n" + own + ".converged";
    return text + "    });\n";
  }

  std::string expression(int32_t i) const
  {
    const Node & n = _o.nodes[size_t(i)];
    std::string text;
    for (const char * c = pattern(n.op); *c; c++)
      if (*c == '$')
        text += _name[size_t(n.operand[*++c - '0'])];
      else
        text += *c;
    return text;
  }

private:
  static std::string number_of(const Loop & loop) { return std::to_string(loop.node); }
  static std::string at(size_t k) { return "[" + std::to_string(k) + "]"; }

  /// A lambda that makes them.
  static std::string options(const kernels::NewtonOptions & o)
  {
    const auto flag = [](bool b) { return b ? "true" : "false"; };
    std::string text = std::string("[] { NewtonOptions o; o.relative_tolerance = ") +
                       literal(o.relative_tolerance) +
                       "; o.absolute_tolerance = " + literal(o.absolute_tolerance) +
                       "; o.iterations = " + std::to_string(o.iterations) +
                       "; o.halve_steps = " + flag(o.halve_steps) +
                       "; o.keep = true; o.limited = " + flag(o.limited) + ";";
    for (int u = 0; o.limited && u < o.max_unknowns; u++)
    {
      const auto & l = o.limits[u];
      text += " o.limits[" + std::to_string(u) + "] = {" + literal(l.lower) + ", " +
              literal(l.upper) + ", " + literal(l.step) + "};";
    }
    return text + " return o; }()";
  }

  const Operations & _o;
  std::vector<std::string> _name;
};

/// What newton, run as such, does itself: all in its loop but what its residual and the derivatives are made of.
inline std::vector<bool>
left_to_newton(const Operations & o)
{
  std::vector<bool> left(o.nodes.size());
  for (size_t l = 0; l < o.loops.size(); l++)
  {
    const Loop & loop = o.loops[l];
    if (!loop.newton || !o.is_needed(size_t(loop.node)))
      continue;
    std::vector<bool> takes(o.nodes.size());
    for (const auto & ids : {loop.newton->r, loop.newton->J})
      for (const int32_t i : ids)
        takes[size_t(i)] = true;
    const auto is_inside = [&](int32_t of)
    {
      while (of > int32_t(l))
        of = o.loop_of[size_t(o.loops[size_t(of)].node)];
      return of == int32_t(l);
    };
    for (int32_t i = loop.node - 1; i > loop.states.back(); i--)
      if (!o.is_needed(size_t(i)))
        continue;
      else if (takes[size_t(i)])
        o.each_operand(size_t(i), [&](size_t k) { takes[k] = true; });
      else if (is_inside(o.loop_of[size_t(i)]))
        left[size_t(i)] = true;
  }
  return left;
}

inline std::string
sizes(const std::vector<Components> & operands)
{
  std::string text;
  for (const auto & c : operands)
    text += (text.empty() ? "" : ", ") + std::to_string(c.size());
  return text;
}
} // namespace source

NEML2_BODY std::string
cpp_source(const Evaluator & e)
{
  using namespace source;
  const Operations & o = e.operations;
  Writer w(o);
  std::vector<bool> is_shared(o.nodes.size());
  std::string load, once, each, store;
  int shared = 0, component = 0;
  for (size_t k = 0; k < e.program.arguments.size(); k++)
    for (const int32_t i : e.program.arguments[k])
    {
      is_shared[size_t(i)] = k < e.program.is_number.size() && e.program.is_number[k];
      w.name(i) = "x[" + std::to_string(component++) + "]";
    }
  const std::vector<bool> left = left_to_newton(o);
  for (const size_t i : o.order())
  {
    const Node & n = o.nodes[i];
    if (n.op == Op::input || left[i])
      continue;
    const bool is_state = n.op == Op::state || n.op == Op::state_condition;
    if (is_state && o.loop(i).newton)
    {
      if (int32_t(i) == o.loop(i).states.back())
        each += w.newton_head(i);
      continue;
    }
    if (n.op == Op::loop && o.loop(i).newton)
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
  return "#include \"neml2/recorded/compiled_tile.h\"\n"
         "using namespace neml2;\nusing namespace neml2::recorded;\n"
         "namespace\n{\n" // what is static in a formula, a process with many such libraries would else have once
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
         each + store +
         "  }\n};\n} // namespace\n"
         "extern \"C\" NEML2_ONE_A_PROGRAM void\nneml2_tile_loop(void ** run, int * width)\n{\n"
         "  give_tile_loop<Formula, " +
         (e.sums ? "true" : "false") + ", Sizes<" + sizes(e.program.arguments) + ">, Sizes<" +
         sizes(e.program.results) + ">>(run, width);\n}\n";
}

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
      const char * const what = s.op == Op::factor  ? " = factor("
                                : s.op == Op::solve ? " = solve("
                                                    : " = solve_transposed(";
      const std::string own = "v" + std::to_string(i);
      text += indent + own + what + w.names(s.operands.begin(), s.operands.end()) + ")\n";
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
