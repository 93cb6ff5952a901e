// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/Node.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>

/// Formulas recorded as lists of operations on numbers, which are interpreted, differentiated, or written as source.
namespace neml2::recorded
{
/**
 * The operations of a formula, as a list; the operands of an operation come before it.
 *
 * The same operation on the same values is recorded once. Simplifications change no bit of a result: operations on constants
 * are evaluated, a + b is b + a, 1 x and x / 1 are x. But 0 x is not replaced by 0, since x may be NaN or infinite.
 */
class Recording
{
public:
  /// Numbers of the thread are recorded in this recording during the lifetime of the Scope: one recording at a time per thread.
  class Scope
  {
  public:
    explicit Scope(Recording & r) : _before(current()) { current() = &r; }
    Scope(const Scope &) = delete;
    Scope & operator=(const Scope &) = delete;
    ~Scope() { current() = _before; }

  private:
    Recording * _before;
  };

  /// The number, unique in this program, of the recording that the thread is making; 0 if the thread is not recording.
  static uint64_t number() { return current() ? current()->_number : 0; }

  /// The recording of this thread.
  static Recording & now()
  {
    if (Recording * const r = current())
      return *r;
    throw std::logic_error("A number of a formula was used where no formula is recorded");
  }

  const std::vector<Node> & nodes() const { return _nodes; }
  const Node & node(int32_t i) const { return _nodes[size_t(i)]; }
  const std::vector<int32_t> & inputs() const { return _inputs; }
  const std::vector<Loop> & loops() const { return _loops; }
  const std::vector<System> & systems() const { return _systems; }
  /// The innermost loop that contains a node, -1 if none does.
  int32_t loop_of(int32_t i) const { return _loop_of[size_t(i)]; }

  int32_t input()
  {
    _inputs.push_back(append({Op::input, {int32_t(_inputs.size()), -1, -1}}, -1));
    return _inputs.back();
  }

  /// Opens a loop with these initial states; operations that are recorded on its states then run in each iteration. Returns the
  /// number of the loop.
  int32_t open_loop(std::vector<int32_t> initial)
  {
    const auto number = int32_t(_loops.size());
    Loop loop;
    for (size_t k = 0; k < initial.size(); k++)
    {
      const Op op = gives_condition(node(initial[k]).op) ? Op::state_condition : Op::state;
      loop.states.push_back(append({op, {number, int32_t(k), -1}}, number));
    }
    loop.initial = std::move(initial);
    _loops.push_back(std::move(loop));
    _open.push_back(number);
    return number;
  }

  /// Closes the innermost loop; `next` are its states in the next iteration, and `active` is the index of the state that keeps it
  /// running. Returns the final states.
  std::vector<int32_t> close_loop(std::vector<int32_t> next,
                                  size_t active,
                                  int32_t most,
                                  std::optional<NewtonLoop> newton = std::nullopt)
  {
    const int32_t number = _open.back();
    Loop & loop = _loops[size_t(number)];
    for (size_t k = 0; k < next.size(); k++)
      if (next[k] == loop.states[k])
        next[k] = -1;
      else if (node(next[k]).op == Op::state || node(next[k]).op == Op::state_condition)
        throw std::logic_error("a state of a recorded loop becomes another one");
    loop.next = std::move(next);
    loop.active = loop.states[active];
    loop.most = most;
    loop.newton = std::move(newton);
    _open.pop_back();
    const int32_t around = _open.empty() ? -1 : _open.back();
    loop.node = append({Op::loop, {number, -1, -1}}, around);
    std::vector<int32_t> results;
    for (size_t k = 0; k < loop.states.size(); k++)
    {
      const bool is_condition = gives_condition(node(loop.states[k]).op);
      const Op op = is_condition ? Op::result_condition : Op::result;
      results.push_back(append({op, {number, int32_t(k), -1}}, around));
    }
    return results;
  }

  /// Ends the innermost loop after an error.
  void abandon_loop()
  {
    Loop & loop = _loops[size_t(_open.back())];
    loop.node = loop.states[0];
    _open.pop_back();
  }

  /// Sets the partial of a number: for an argument its seed, for a solution of newton the partial by the implicit function theorem.
  void set_partial(int32_t i, int32_t partial) { _partials[i] = partial; }
  /// The partial that was set for a number, -1 if none was.
  int32_t partial(int32_t i) const
  {
    const auto found = _partials.find(i);
    return found == _partials.end() ? -1 : found->second;
  }

  /// A partial that is not available: differentiation by it throws an error with this reason.
  int32_t refused_partial(std::string reason)
  {
    const int32_t i = append({Op::input, {-1, -1, -1}}, -1);
    _refused.emplace(i, std::move(reason));
    return i;
  }
  const std::unordered_map<int32_t, std::string> & refused() const { return _refused; }

  /// Sets the rule by which numbers recorded since node `first` are differentiated, where the rules of their single operations would
  /// lose digits or terms.
  void set_rule(Rule rule, size_t first)
  {
    for (const int32_t i : rule.outputs)
      if (size_t(i) >= first && !is_constant(i))
        _rule_of[i] = _rules.size();
    _rules.push_back(std::make_shared<const Rule>(std::move(rule)));
  }
  /// The rule of a number, null if there is none.
  std::shared_ptr<const Rule> rule(int32_t i) const
  {
    const auto found = _rule_of.find(i);
    return found == _rule_of.end() ? nullptr : _rules[found->second];
  }

  int32_t constant(double x) { return find_or_append({Op::constant, {-1, -1, -1}, x}); }

  bool is_constant(int32_t i) const { return node(i).op == Op::constant; }
  bool is_constant(int32_t i, double x) const { return is_constant(i) && node(i).number == x; }

  /// Records a system, or finds the same one; returns its outputs.
  std::vector<int32_t> record_system(Op op, int32_t n, const std::vector<int32_t> & operands)
  {
    for (const System & s : _systems)
      if (s.op == op &&
          s.operands.size() ==
              operands.size() && // systems with the same factor differ only in their last operands
          std::equal(operands.rbegin(), operands.rend(), s.operands.rbegin()))
        return s.outputs;
    int32_t loop = -1;
    for (const int32_t i : operands)
    {
      check_open(i);
      loop = std::max(loop, loop_of(i));
    }
    const auto number = int32_t(_systems.size());
    System system{op, n, operands, {}};
    system.node = append({op, {number, -1, -1}}, loop);
    const auto give = [&](Op output)
    {
      const auto k = int32_t(system.outputs.size());
      system.outputs.push_back(append({output, {number, k, -1}}, loop));
    };
    for (int32_t k = 0; k < system.number_count(); k++)
      give(Op::output);
    for (int32_t k = 0; op == Op::factor && k < n * (n - 1) / 2; k++)
      give(Op::output_condition);
    _systems.push_back(system);
    return system.outputs;
  }

  int32_t record(Op op, int32_t a, int32_t b = -1, int32_t c = -1)
  {
    for (const int32_t i : {a, b, c})
      if (i >= 0)
        check_open(i);
    const bool commutes = op == Op::add || op == Op::multiply || op == Op::equal ||
                          op == Op::not_equal || op == Op::and_ || op == Op::or_;
    if (commutes && b < a)
      std::swap(a, b);
    const int32_t known = simplified(op, a, b, c);
    return known >= 0 ? known : find_or_append({op, {a, b, c}});
  }

private:
  uint64_t _number = next_number();
  std::vector<Node> _nodes;
  std::vector<int32_t> _inputs;
  std::vector<Loop> _loops;
  std::vector<System> _systems;
  std::vector<int32_t> _loop_of; ///< per node
  std::vector<int32_t> _open;    ///< the open loops, the innermost one last
  std::vector<std::shared_ptr<const Rule>> _rules;
  std::unordered_map<int32_t, size_t> _rule_of;
  std::unordered_map<int32_t, int32_t> _partials;
  std::unordered_map<int32_t, std::string> _refused;

  struct Hash
  {
    size_t operator()(const Node & n) const
    {
      uint64_t bits, h = uint64_t(n.op);
      std::memcpy(&bits, &n.number, sizeof(bits));
      for (const uint64_t x :
           {uint64_t(n.operand[0]), uint64_t(n.operand[1]), uint64_t(n.operand[2]), bits})
        h = (h ^ x) * 0x9E3779B97F4A7C15u + (h >> 29);
      return size_t(h ^ (h >> 32));
    }
  };
  std::unordered_map<Node, int32_t, Hash> _known;

  static uint64_t next_number()
  {
    static std::atomic<uint64_t> n{0};
    return ++n;
  }

  static Recording *& current()
  {
    static thread_local Recording * r = nullptr;
    return r;
  }

  void check_open(int32_t i) const
  {
    if (loop_of(i) >= 0 && _loops[size_t(loop_of(i))].node >= 0)
      throw std::invalid_argument(
          "a formula uses a value outside of the iteration in which it was computed, such as a "
          "tensor of newton's residual: return it, or compute it from the solution");
  }

  int32_t find_or_append(const Node & n)
  {
    const auto [place, is_new] = _known.try_emplace(n, int32_t(_nodes.size()));
    if (is_new)
    {
      int32_t loop = -1;
      for (int k = 0; k < operand_count(n.op); k++)
        loop = std::max(loop, loop_of(n.operand[k]));
      append(n, loop);
    }
    return place->second;
  }

  int32_t append(const Node & n, int32_t loop)
  {
    constexpr size_t most = 1 << 20;
    if (_nodes.size() >= most)
      throw std::length_error("a formula records at most 1,048,576 operations on numbers");
    _nodes.push_back(n);
    _loop_of.push_back(loop);
    return int32_t(_nodes.size()) - 1;
  }

  /// An existing node that has the value of this operation; -1 if a new node is needed.
  int32_t simplified(Op op, int32_t a, int32_t b, int32_t c)
  {
    switch (op)
    {
    case Op::negate:
      if (is_constant(a))
        return constant(-node(a).number);
      if (node(a).op == Op::negate)
        return node(a).operand[0];
      return -1;
    case Op::add:
      return is_constant(a) && is_constant(b) ? constant(node(a).number + node(b).number) : -1;
    case Op::subtract:
      if (is_constant(a) && is_constant(b))
        return constant(node(a).number - node(b).number);
      return is_constant(b, 0) && !std::signbit(node(b).number) ? a : -1;
    case Op::multiply:
      if (is_constant(a) && is_constant(b))
        return constant(node(a).number * node(b).number);
      return is_constant(a, 1) ? b : is_constant(b, 1) ? a : -1;
    case Op::divide:
      if (is_constant(a) && is_constant(b))
        return constant(node(a).number / node(b).number);
      return is_constant(b, 1) ? a : -1;
    case Op::sqrt:
    case Op::norm_of_square:
      return is_constant(a) ? constant(std::sqrt(node(a).number)) : -1;
    case Op::macaulay:
      return is_constant(a) ? constant(node(a).number < 0 ? 0 : node(a).number) : -1;
    case Op::abs:
      return is_constant(a) ? constant(std::fabs(node(a).number)) : -1;
    case Op::pow:
      return is_constant(b, 1) ? a : is_constant(b, 2) ? record(Op::multiply, a, a) : -1;
    case Op::where:
      return b == c ? b : -1;
    default:
      return -1;
    }
  }
};
} // namespace neml2::recorded
