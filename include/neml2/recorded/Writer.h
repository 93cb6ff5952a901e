// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/Operations.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>

/// The parts that all texts of recorded formulas share.
namespace neml2::recorded::source
{
/// The text of an operation, in which $0, $1, $2 stand for its operands. For an operation of a System it is only the operation's name.
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
      "factor",
      "solve",
      "solve_transposed",
      "expm",
      "logm",
      "sqrtm",
      "inv",
      "polar_rotation",
      "dexpm",
      "dlogm",
      "dsqrtm",
      "",
      "-$0",
      "abs($0)",
      "sqrt($0)",
      "sqrt($0)",
      "macaulay($0)",
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
      "hypot($0, $1)",
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

/// The text of a number. A compiler that reads it gets the same number.
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
  for (char & c : s) // a decimal comma of the locale becomes a point
    c = c == ',' ? '.' : c;
  return s.find_first_of(".e") == s.npos ? s + ".0" : s;
}

/// Writes expressions and statements, and gives names to values.
class Writer
{
public:
  /// `constant` is the text that begins the declaration of constants.
  explicit Writer(const Operations & o, const char * constant = "static constexpr")
    : _o(o), _constant(constant), _name(o.nodes.size())
  {
  }

  std::string & name(int32_t i) { return _name[size_t(i)]; }

  /// Declares a state with its initial value. After the last state of a loop it writes the loop's `head`.
  std::string start(size_t i, const char * declare, const std::string & head)
  {
    const Loop & loop = _o.loop(i);
    std::string & own = _name[i];
    own = (gives_condition(_o.nodes[i].op) ? "c" : "v") + std::to_string(i);
    const bool is_last = size_t(_o.nodes[i].operand[1]) + 1 == loop.states.size();
    return declare + own + " = " + name(_o.initial(i)) + (is_last ? head : "");
  }
  /// Assigns each state of a loop its next value. Each assignment is written between the texts `before` and `after`.
  std::string next(size_t i, const char * before, const char * after)
  {
    const Loop & loop = _o.loop(i);
    std::string text;
    for (size_t k = 0; k < loop.states.size(); k++)
      if (loop.next[k] >= 0)
        text += before + name(loop.states[k]) + " = " + name(loop.next[k]) + after;
    return text;
  }
  /// The head of a loop: the largest number of iterations, and the condition under which it continues.
  std::string
  head(size_t i, const std::string & before, const std::string & between, const char * after)
  {
    const Loop & loop = _o.loop(i);
    return before + std::to_string(loop.most) + between + "c" + std::to_string(loop.active) + after;
  }
  /// The names of nodes, separated by commas.
  template <class I>
  std::string names(I from, I to)
  {
    std::string text;
    for (; from != to; ++from)
      text += (text.empty() ? "" : ", ") + name(*from);
    return text;
  }
  /// Gives the outputs of a system the names of members of the variable `own`, which is a kernels::LU or a matrix.
  void name_outputs(size_t i, const std::string & own)
  {
    const System & s = _o.system(i);
    const auto entry = [](int k, int j) { return at(size_t(k)) + at(size_t(j)); };
    auto output = s.outputs.begin();
    if (is_matrix_function(s.op))
    {
      for (size_t k = 0; k < s.outputs.size(); k++)
        name(*output++) = own + at(k);
      return;
    }
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
  /// The name of the variable that holds the factor of a system; empty if the operands of the system are not the outputs of one factor.
  std::string factor_of(const System & s) const
  {
    const size_t first = size_t(s.operands.front());
    if (!is_output(_o.nodes[first].op) || _o.system(first).op != Op::factor)
      return {};
    const System & f = _o.system(first);
    const auto det = f.outputs.begin() + f.n * f.n + f.n, swapped = det + 1;
    const bool is_all = f.n == s.n && std::equal(f.outputs.begin(), det, s.operands.begin()) &&
                        std::equal(swapped, f.outputs.end(), s.operands.begin() + f.n * f.n + f.n);
    return is_all ? "f" + std::to_string(f.node) : std::string();
  }
  /// The statements that compute a system with kernels::LU, or with a function of a matrix.
  std::string system(size_t i)
  {
    const System & s = _o.system(i);
    const std::string number = std::to_string(i), n = std::to_string(s.n), own = "f" + number;
    const std::string declared = "    LU<" + n + ", P> " + own + ";\n    set_matrix(" + own + ", {";
    const auto first = s.operands.begin();
    if (is_matrix_function(s.op))
    {
      const auto middle = first + s.n * s.n;
      name_outputs(i, "v" + number);
      std::string matrices = "kernels::R2<P>(" + names(first, middle) + ")";
      if (is_matrix_derivative(s.op))
        matrices += ", kernels::R2<P>(" + names(middle, s.operands.end()) + ")";
      const char * const call = is_matrix_derivative(s.op) ? " = call_" : " = ";
      return "    const auto v" + number + call + pattern(s.op) + "(" + matrices + ");\n";
    }
    if (s.op == Op::factor)
    {
      name_outputs(i, own);
      return declared + names(first, s.operands.end()) + "});\n    " + own + ".factor();\n";
    }
    const auto over = first + s.n * s.n, swapped = over + s.n, right = s.operands.end() - s.n;
    const std::string there = factor_of(s), &factor = there.empty() ? own : there;
    std::string text;
    if (there.empty())
      text = declared + names(first, over) + "});\n    set_factor(" + own + ", {" +
             names(over, swapped) + "}, {" + names(swapped, right) + "});\n";
    text += "    P v" + number + "[" + n + "][1] = {";
    for (auto b = right; b != s.operands.end(); ++b)
      text += (b == right ? "{" : ", {") + name(*b) + "}";
    name_outputs(i, "v" + number);
    return text + "};\n    " + factor + "." + pattern(s.op) + "(v" + number + ");\n";
  }
  void name_result(size_t i) { _name[i] = name(_o.loop(i).states[size_t(_o.nodes[i].operand[1])]); }

  /// The text before the body of a loop that kernels::NewtonIteration runs. It contains the options, the guess, and the head of the lambda
  /// that contains the body.
  std::string newton_head(size_t i)
  {
    const Loop & loop = _o.loop(i);
    const NewtonLoop & newton = *loop.by_kernel();
    const std::string own = number_of(loop), n = std::to_string(newton.x.size());
    std::string guess, unknown;
    for (size_t k = 0; k < newton.x.size(); k++)
    {
      const char * const comma = k == 0 ? "" : ", ";
      guess += comma + name(_o.initial(size_t(newton.x[k])));
      unknown += comma + std::to_string(newton.unknown[k]);
      name(newton.x[k]) = "u" + own + at(k);
    }
    return "    " + _constant + " NewtonOptions o" + own + " = " + options(newton.options) +
           ";\n    static constexpr int k" + own + "[] = {" + unknown + "};\n    P x" + own +
           "[] = {" + guess + "};\n    const auto n" + own + " = iterate(x" + own + ", o" + own +
           ", k" + own + ", [&](const P (&u" + own + ")[" + n + "], P (&r" + own + ")[" + n +
           "][1], P (&J" + own + ")[" + n + "][" + n + "]) NEML2_INLINE_LAMBDA\n    {\n";
  }
  /// The text after the body of such a loop. It contains the results of the lambda, and its end. From here on the states have the names of
  /// the results of kernels::NewtonIteration.
  std::string newton_end(size_t i)
  {
    const Loop & loop = _o.loop(i);
    const NewtonLoop & newton = *loop.by_kernel();
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

  /// A lambda that returns the options.
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
  std::string _constant;
  std::vector<std::string> _name;
};
} // namespace neml2::recorded::source
