// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/kinematics.h"
#include "neml2/recorded/Symbol.h"
#include "neml2/recorded/weights.h"
#include "neml2/recorded/with_function.h"

#include <stdexcept>

namespace neml2::recorded
{
/**
 * Records operations of a recording once more, with other values for some nodes, and with partials. The partial of a node that has a Rule
 * follows from this Rule; the partials of other nodes follow from the arithmetic of duals.
 *
 * In this way a derivative, which consists of recorded operations itself, is differentiated again.
 */
class Replay
{
public:
  explicit Replay(Recording & r) : _r(r) {}

  /// Replaces the value of a node by x.
  void set(int32_t node, const Number & x)
  {
    _variables.push_back(node);
    _given.push_back(made(x));
  }

  /// The values and partials that these nodes have after the replacements.
  std::vector<Number> of(const std::vector<int32_t> & nodes)
  {
    start();
    const std::vector<int32_t> order = needed(nodes);
    for (const int32_t i : order)
      if (!_is_made[size_t(i)])
        make(i);
    std::vector<Number> results;
    for (const int32_t i : nodes)
      results.push_back(number(i));
    return results;
  }

  /// The nodes from which a node is computed.
  template <class F>
  void each_operand(int32_t i, const F & f) const
  {
    if (const auto rule = _r.rule(i))
    {
      for (const int32_t k : rule->operands)
        f(k);
      return;
    }
    const Node & n = _r.node(i);
    for (int k = 0; k < operand_count(n.op); k++)
      f(n.operand[k]);
    if (is_output(n.op))
      for (const int32_t k : operands_of(system(n)))
        f(k);
  }

private:
  /// The nodes of a value and of its partial; -1 for a partial of zero.
  struct Made
  {
    int32_t x = -1, d = -1;
  };

  Recording & _r;
  std::vector<int32_t> _variables;
  std::vector<Made> _given;
  std::vector<bool> _depends; ///< whether a node depends on a replaced node, and is recorded again
  std::vector<bool> _is_made;
  std::vector<Made> _made;

  Made made(int32_t x, int32_t d) const { return {x, _r.is_constant(d, 0) ? -1 : d}; }
  Made made(const Number & a) const { return made(a.x.id, a.d[0].id); }
  Number number(int32_t i) const { return number(_made[size_t(i)]); }
  Number number(const Made & m) const
  {
    Number a(Symbol::of(m.x));
    if (m.d >= 0)
      a.d[0].id = m.d;
    return a;
  }

  void set_made(int32_t i, const Made & m)
  {
    _made[size_t(i)] = m;
    _is_made[size_t(i)] = true;
  }

  const System & system(const Node & n) const { return _r.systems()[size_t(n.operand[0])]; }
  /// The operands of a system. For the solution of equations these are the matrix (instead of its factor) and the right-hand side.
  std::vector<int32_t> operands_of(const System & s) const
  {
    if (s.op != Op::solve && s.op != Op::solve_transposed)
      return s.operands;
    std::vector<int32_t> all = factor_of(s).operands;
    all.insert(all.end(), s.operands.end() - s.n, s.operands.end());
    return all;
  }
  const System & factor_of(const System & s) const
  {
    const Node & first = _r.node(s.operands.front());
    if (first.op != Op::output || system(first).op != Op::factor)
      throw std::logic_error("gradient: a recorded solution lacks the factor of its matrix");
    return system(first);
  }

  void start()
  {
    const size_t n = _r.nodes().size();
    _depends.assign(n, false);
    _is_made.assign(n, false);
    _made.assign(n, {});
    std::vector<bool> loop_depends(_r.loops().size());
    for (const int32_t i : _variables)
      _depends[size_t(i)] = true;
    for (size_t i = 0; i < n; i++)
    {
      const Node & node = _r.node(int32_t(i));
      bool depends = _depends[i];
      const auto look = [&](int32_t k) { depends = depends || _depends[size_t(k)]; };
      for (int k = 0; k < operand_count(node.op); k++)
        look(node.operand[k]);
      if (is_output(node.op))
        for (const int32_t k : system(node).operands)
          look(k);
      if (node.op == Op::state || node.op == Op::state_condition)
        look(_r.loops()[size_t(node.operand[0])].initial[size_t(node.operand[1])]);
      if (node.op == Op::result || node.op == Op::result_condition)
        depends = loop_depends[size_t(node.operand[0])];
      _depends[i] = depends;
      if (const int32_t l = _r.loop_of(int32_t(i)); depends && l >= 0)
        loop_depends[size_t(l)] = true;
    }
    for (size_t k = 0; k < _variables.size(); k++)
      set_made(_variables[k], _given[k]);
  }

  /// If the value and the partial of a node are known without recording the node again, sets them and returns true.
  bool find(int32_t i)
  {
    if (_is_made[size_t(i)])
      return true;
    if (_depends[size_t(i)])
      return false;
    const int32_t partial = _r.partial(i);
    if (partial < 0)
      return false;
    set_made(i, made(i, partial));
    return true;
  }

  /// All nodes that must be made in order to make these nodes. Operands come before the nodes that are computed from them.
  std::vector<int32_t> needed(const std::vector<int32_t> & nodes)
  {
    std::vector<bool> is_needed(_depends.size());
    std::vector<int32_t> open(nodes), all;
    while (!open.empty())
    {
      const int32_t i = open.back();
      open.pop_back();
      if (is_needed[size_t(i)] || find(i))
        continue;
      is_needed[size_t(i)] = true;
      all.push_back(i);
      each_operand(i, [&](int32_t k) { open.push_back(k); });
    }
    std::sort(all.begin(), all.end());
    return all;
  }

  void make(int32_t i)
  {
    const Node n = _r.node(i); // a copy, because recording may move nodes in memory
    bool is_active = false;
    each_operand(i, [&](int32_t k) { is_active = is_active || _made[size_t(k)].d >= 0; });
    if (_r.refused().count(i) != 0)
      return set_made(i, {i, i});
    if (!is_active && !_depends[size_t(i)])
      return set_made(i, {i, -1});
    if (const auto rule = _r.rule(i))
      return make_by(*rule);
    if (is_output(n.op))
      return make_system(system(n));
    if (!is_of_values(n.op) || n.op == Op::input)
      throw std::logic_error("an operation of a recording cannot be recorded again");
    set_made(i, gives_condition(n.op) ? condition(n) : value(n));
  }

  void make_by(const Rule & rule)
  {
    std::vector<int32_t> operands;
    for (const int32_t k : rule.operands)
    {
      const Number a = number(k);
      operands.insert(operands.end(), {a.x.id, a.d[0].id});
    }
    const std::vector<int32_t> results = rule.apply(operands);
    for (size_t k = 0; k < rule.outputs.size(); k++)
      if (_r.rule(rule.outputs[k]).get() == &rule)
        set_made(rule.outputs[k], made(results[2 * k], results[2 * k + 1]));
  }

  Made condition(const Node & n)
  {
    int32_t o[3] = {-1, -1, -1};
    for (int k = 0; k < operand_count(n.op); k++)
      o[k] = _made[size_t(n.operand[k])].x;
    return {_r.record(n.op, o[0], o[1], o[2]), -1};
  }

  /// Applies f to one operand, or to two. Operands with a partial are passed as duals, other operands as symbols.
  template <class F>
  Made of_one(const F & f, const Made & a) const
  {
    return a.d < 0 ? Made{f(Symbol::of(a.x)).id, -1} : made(f(number(a)));
  }
  template <class F>
  Made of_two(const F & f, const Made & a, const Made & b) const
  {
    const Symbol x = Symbol::of(a.x), y = Symbol::of(b.x);
    return a.d < 0 && b.d < 0 ? Made{f(x, y).id, -1}
           : b.d < 0          ? made(f(number(a), y))
           : a.d < 0          ? made(f(x, number(b)))
                              : made(f(number(a), number(b)));
  }

  Made value(const Node & n)
  {
    const auto of = [&](int k) { return _made[size_t(n.operand[k])]; };
    if (n.op == Op::where)
    {
      const Condition c{of(0).x};
      return of_two([&](const auto & a, const auto & b) { return where(c, a, b); }, of(1), of(2));
    }
    Made made;
    const auto one = [&](const auto & f) { made = of_one(f, of(0)); };
    const auto two = [&](const auto & f) { made = of_two(f, of(0), of(1)); };
    if (!with_function(n.op, one, two))
      throw std::logic_error("an operation of a recording has no derivative");
    return made;
  }

  // ---- Systems: the linear equations and the functions of matrices that are one operation ----

  void make_system(const System s) // a copy, because recording may move systems in memory
  {
    const std::vector<int32_t> operands = operands_of(s);
    std::vector<Made> x;
    for (const int32_t k : operands)
      x.push_back(_made[size_t(k)]);
    const std::vector<Made> results = s.op == Op::factor         ? factor(s, x)
                                      : is_matrix_function(s.op) ? matrix_function(s, x)
                                                                 : solution(s, x);
    for (size_t k = 0; k < s.outputs.size(); k++)
      set_made(s.outputs[k], results[k]);
  }

  static std::vector<int32_t> values(const std::vector<Made> & x)
  {
    std::vector<int32_t> ids;
    for (const Made & m : x)
      ids.push_back(m.x);
    return ids;
  }
  Symbol partial(const Made & m) const { return m.d < 0 ? Symbol(0.0) : Symbol::of(m.d); }

  /// The factor of A, with d det = det tr(A^-1 dA). Outputs except det have no partials: only solves use them, and solution()
  /// differentiates solves.
  std::vector<Made> factor(const System & s, const std::vector<Made> & A)
  {
    const auto n = size_t(s.n);
    const std::vector<int32_t> lu = _r.record_system(Op::factor, s.n, values(A));
    std::vector<Made> results;
    for (const int32_t i : lu)
      results.push_back({i, -1});
    Symbol trace(0.0);
    for (size_t j = 0; j < n; j++)
    {
      std::vector<int32_t> column;
      for (size_t i = 0; i < n; i++)
        column.push_back(partial(A[n * i + j]).id);
      trace = trace + Symbol::of(solve(Op::solve, s.n, lu, column)[j]);
    }
    Made & det = results[n * n + n];
    det.d = (Symbol::of(det.x) * trace).id;
    return results;
  }

  /// x of A x = b, or of Aᵀ x = b, with dx = A^-1 (db - dA x), or the same with the transposed matrix.
  std::vector<Made> solution(const System & s, const std::vector<Made> & all)
  {
    const auto n = size_t(s.n);
    const std::vector<Made> A(all.begin(), all.begin() + std::ptrdiff_t(n * n)),
        b(all.begin() + std::ptrdiff_t(n * n), all.end());
    const std::vector<int32_t> lu = _r.record_system(Op::factor, s.n, values(A));
    const std::vector<int32_t> x = solve(s.op, s.n, lu, values(b));
    std::vector<int32_t> right;
    bool is_active = false;
    for (size_t i = 0; i < n; i++)
    {
      Symbol d = partial(b[i]);
      is_active = is_active || b[i].d >= 0;
      for (size_t j = 0; j < n; j++)
        if (const Made & a = s.op == Op::solve ? A[n * i + j] : A[n * j + i]; a.d >= 0)
        {
          d = d - Symbol::of(a.d) * Symbol::of(x[j]);
          is_active = true;
        }
      right.push_back(d.id);
    }
    std::vector<int32_t> dx(n, -1);
    if (is_active)
      dx = solve(s.op, s.n, lu, right);
    std::vector<Made> results;
    for (size_t i = 0; i < n; i++)
      results.push_back({x[i], dx[i]});
    return results;
  }
  std::vector<int32_t>
  solve(Op op, int32_t n, const std::vector<int32_t> & lu, const std::vector<int32_t> & right)
  {
    std::vector<int32_t> operands(lu.begin(), lu.begin() + n * n + n);
    operands.insert(
        operands.end(), lu.begin() + n * n + n + 1, lu.end()); // without the determinant
    operands.insert(operands.end(), right.begin(), right.end());
    return _r.record_system(op, n, operands);
  }

  std::vector<Made> matrix_function(const System & s, const std::vector<Made> & x)
  {
    std::vector<Made> results;
    if (is_matrix_derivative(s.op))
    {
      const int32_t none =
          _r.refused_partial("gradient: the second derivative of expm, logm and sqrtm of an R2 is "
                             "not available in formulas; for an SR2 it is available");
      for (const int32_t i : _r.record_system(s.op, s.n, values(x)))
        results.push_back({i, none});
      return results;
    }
    if (s.op == Op::inv || s.op == Op::polar_rotation)
    {
      kernels::R2<Number> A{kernels::Unset()};
      for (int i = 0; i < 9; i++)
        A[i] = number(x[size_t(i)]);
      for (const Number & a : (s.op == Op::inv ? kernels::inv(A) : kernels::polar_rotation(A)).v)
        results.push_back(made(a));
      return results;
    }
    std::vector<int32_t> both = values(x);
    const std::vector<int32_t> f = _r.record_system(s.op, s.n, both);
    for (const Made & m : x)
      both.push_back(partial(m).id);
    const Op derivative = s.op == Op::expm ? Op::dexpm : s.op == Op::logm ? Op::dlogm : Op::dsqrtm;
    const std::vector<int32_t> df = _r.record_system(derivative, s.n, both);
    for (size_t k = 0; k < f.size(); k++)
      results.push_back({f[k], df[k]});
    return results;
  }
};
} // namespace neml2::recorded
