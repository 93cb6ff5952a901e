// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/Recording.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

namespace neml2::recorded
{
NEML2_BODY bool
Recording::is_same_as(const Recording & other) const
{
  return _nodes == other._nodes && _inputs == other._inputs && _loops == other._loops &&
         _systems == other._systems;
}

NEML2_BODY int32_t
Recording::input()
{
  _inputs.push_back(append({Op::input, {int32_t(_inputs.size()), -1, -1}}, -1));
  return _inputs.back();
}

NEML2_BODY int32_t
Recording::open_loop(std::vector<int32_t> initial)
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

NEML2_BODY std::vector<int32_t>
Recording::close_loop(std::vector<int32_t> next,
                      size_t active,
                      int32_t most,
                      std::optional<NewtonLoop> newton)
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

NEML2_BODY void
Recording::abandon_loop()
{
  Loop & loop = _loops[size_t(_open.back())];
  loop.node = loop.states[0];
  _open.pop_back();
}

NEML2_BODY void
Recording::set_partial(int32_t i, int32_t partial)
{
  _partials[i] = partial;
}

NEML2_BODY int32_t
Recording::partial(int32_t i) const
{
  const auto found = _partials.find(i);
  return found == _partials.end() ? -1 : found->second;
}

NEML2_BODY int32_t
Recording::refused_partial(std::string reason)
{
  const int32_t i = append({Op::input, {-1, -1, -1}}, -1);
  _refused.emplace(i, std::move(reason));
  return i;
}

NEML2_BODY void
Recording::set_rule(Rule rule, size_t first)
{
  for (const int32_t i : rule.outputs)
    if (size_t(i) >= first && !is_constant(i))
      _rule_of[i] = _rules.size();
  _rules.push_back(std::make_shared<const Rule>(std::move(rule)));
}

NEML2_BODY std::shared_ptr<const Rule>
Recording::rule(int32_t i) const
{
  const auto found = _rule_of.find(i);
  return found == _rule_of.end() ? nullptr : _rules[found->second];
}

NEML2_BODY int32_t
Recording::constant(double x)
{
  return find_or_append({Op::constant, {-1, -1, -1}, x});
}

NEML2_BODY int32_t
Recording::copy(int32_t i)
{
  const int32_t one = constant(1); // record() would simplify the product to node i
  return find_or_append({Op::multiply, {std::min(i, one), std::max(i, one), -1}});
}

NEML2_BODY std::vector<int32_t>
Recording::record_system(Op op, int32_t n, const std::vector<int32_t> & operands)
{
  for (const System & s : _systems)
    if (s.op == op &&
        s.operands.size() ==
            operands.size() && // compared from the end: solves with the same factor differ there
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

NEML2_BODY int32_t
Recording::record(Op op, int32_t a, int32_t b, int32_t c)
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

/// The number of recordings that the program has made, and the recording that the thread is making. All shared libraries of a program use
/// the same two variables, because another shared library may apply a rule of a recording.
NEML2_ONE_A_PROGRAM inline std::atomic<uint64_t> recordings_made{0};
NEML2_ONE_A_PROGRAM inline Recording *&
recording_of_thread()
{
  static thread_local Recording * r = nullptr;
  return r;
}

NEML2_BODY uint64_t
Recording::next_number()
{
  return ++recordings_made;
}

NEML2_BODY Recording *&
Recording::current()
{
  return recording_of_thread();
}

NEML2_BODY void
Recording::check_open(int32_t i) const
{
  if (loop_of(i) >= 0 && _loops[size_t(loop_of(i))].node >= 0)
    throw std::invalid_argument(
        "a formula uses a value outside of the iteration in which it was computed, such as a "
        "tensor of newton's residual: return it, or compute it from the solution");
}

NEML2_BODY int32_t
Recording::find_or_append(const Node & n)
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

NEML2_BODY int32_t
Recording::append(const Node & n, int32_t loop)
{
  constexpr size_t most = 1 << 20;
  if (_nodes.size() >= most)
    throw TooLong("a formula records at most 1,048,576 operations on numbers. any(condition) is "
                  "always true while a formula is recorded: does only any(condition) end a loop?");
  _nodes.push_back(n);
  _loop_of.push_back(loop);
  return int32_t(_nodes.size()) - 1;
}

NEML2_BODY int32_t
Recording::simplified(Op op, int32_t a, int32_t b, int32_t c)
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
} // namespace neml2::recorded
