// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/Operations.h"

#include <array>

namespace neml2::recorded
{
/// The place of a value in the memory of an interpreter. The memory consists of packs. A row is a point of a batch, and a pack has one
/// number for each of several rows. The interpreter works on blocks of rows, which are several packs long. A value that differs between
/// rows has as many packs as a block (step 1); a value that all rows share has a single pack (step 0).
struct Place
{
  int32_t at = 0;
  int32_t step = 0;
};

/// An operation on values. A loop begins with an instruction Op::state and ends with Op::loop; the operand of both is the number of the
/// loop. The operand of an operation of a System is the number of the system.
struct Instruction
{
  Op op;
  Place to;
  std::array<Place, 3> operand;
};

/// A loop. At its beginning other values are copied to its states. While the state `active` is true, the instructions between the first
/// and the last instruction of the loop compute the next states.
struct LoopCode
{
  struct Move
  {
    Place from, to;
  };
  std::vector<Move> start, next;
  Place active;
  int32_t most = 0;
  size_t first = 0, last = 0; ///< the indices of its first and its last instruction
};

/// A System (linear equations or a function of a matrix). An output that is not needed has the place -1.
struct SystemCode
{
  int32_t n = 0;
  std::vector<Place> operands, outputs;
};

/**
 * A program whose values have places in memory. Which arguments all rows share is fixed when a Code is made.
 *
 * Values that depend only on constants and shared arguments are computed once for all rows. The other values reuse places: a place is
 * free again after the last use of its value.
 */
class Code
{
public:
  /// Makes the code for blocks of `block` packs.
  Code(const Operations & o, const Program & p, const std::vector<bool> & is_shared, int block)
    : loops(o.loops.size()),
      systems(o.systems.size()),
      _o(o),
      _block(block),
      _shared(o.nodes.size()),
      _place(o.nodes.size())
  {
    find_shared(p, is_shared);
    place_shared();
    place_arguments(p, is_shared);
    place_operations(p);
    for (const auto & c : p.results)
      results.push_back(places(c));
    size = shared_size + int32_t(_slots) * block;
    shift_varying(); // values that differ between rows are placed after the shared values
  }

  struct Constant
  {
    int32_t at;
    double number;
  };
  std::vector<Constant> constants;
  std::vector<Instruction> once, each; ///< `once` runs once, `each` for each block of rows
  std::vector<LoopCode> loops;         ///< in the order of their numbers
  std::vector<SystemCode> systems;
  std::vector<std::vector<Place>> arguments, results; ///< place per component; -1: not needed
  int32_t shared_size = 0, size = 0;                  ///< in packs

private:
  const Operations & _o;
  int _block;
  std::vector<bool> _shared;
  std::vector<Place> _place;
  std::vector<int32_t> _free;
  size_t _slots = 0;

  void find_shared(const Program & p, const std::vector<bool> & is_shared)
  {
    for (size_t k = 0; k < p.arguments.size(); k++)
      for (const int32_t i : p.arguments[k])
        _shared[size_t(i)] = is_shared[k];
    for (size_t i = 0; i < _shared.size(); i++)
      if (_o.nodes[i].op != Op::input)
      {
        const Op op = _o.nodes[i].op;
        bool all = is_of_values(op); // false for loops and systems, which run for each block
        _o.each_operand(i, [&](size_t k) { all = all && _shared[k]; });
        _shared[i] = all;
      }
  }

  void place_shared()
  {
    for (size_t i = 0; i < _shared.size(); i++)
      if (_shared[i] && _o.is_needed(i))
      {
        _place[i] = {shared_size++, 0};
        if (_o.nodes[i].op == Op::constant)
          constants.push_back({_place[i].at, _o.nodes[i].number});
        else if (_o.nodes[i].op != Op::input)
          once.push_back(instruction(i));
      }
  }

  int32_t slot()
  {
    if (_free.empty())
      return int32_t(_slots++);
    const int32_t s = _free.back();
    _free.pop_back();
    return s;
  }

  void place_arguments(const Program & p, const std::vector<bool> & is_shared)
  {
    for (size_t k = 0; k < p.arguments.size(); k++)
    {
      for (const int32_t i : p.arguments[k])
        if (!_o.is_needed(size_t(i)))
          _place[size_t(i)] = {-1, 0};
        else if (!is_shared[k])
          _place[size_t(i)] = {slot() * _block, 1};
      arguments.push_back(places(p.arguments[k]));
    }
  }

  /// The position in the order until which the node `user` needs the value of node k. If `user` is in loops that do not contain k, this is
  /// the end of the outermost of these loops, because each iteration needs the value.
  size_t used_until(size_t user, size_t k, const std::vector<size_t> & at) const
  {
    size_t end = at[user];
    for (int32_t l = _o.loop_of[user]; l >= 0 && l != _o.loop_of[k];)
    {
      const auto node = size_t(_o.loops[size_t(l)].node);
      end = std::max(end, at[node]);
      l = _o.loop_of[node];
    }
    return end;
  }

  /// For each node, the position in the order at which its value is used last. A loop uses values from outside until its end.
  std::vector<size_t> last_uses(const std::vector<size_t> & order, const Program & p) const
  {
    std::vector<size_t> at(_o.nodes.size()), last(_o.nodes.size());
    for (size_t n = 0; n < order.size(); n++)
      at[order[n]] = n;
    for (size_t n = 0; n < order.size(); n++)
    {
      const size_t user = order[n];
      last[user] = std::max(last[user], n);
      _o.each_operand(user,
                      [&](size_t k)
                      {
                        const bool is_inside = _o.nodes[user].op == Op::loop;
                        last[k] = std::max(last[k], is_inside ? n : used_until(user, k, at));
                      });
    }
    for (const auto & result : p.results) // the places of results are never freed
      for (const int32_t i : result)
        last[size_t(i)] = order.size();
    return last;
  }

  /// For each node, the state whose next value the node computes, if the old value is not read afterwards; otherwise -1. Such a node writes
  /// its value directly into the place of the state.
  std::vector<int32_t> states_in_place(const std::vector<size_t> & order) const
  {
    std::vector<size_t> at(_o.nodes.size()), read(_o.nodes.size());
    for (size_t n = 0; n < order.size(); n++)
      at[order[n]] = n;
    for (const size_t user : order)
      if (_o.nodes[user].op != Op::loop)
        _o.each_operand(user,
                        [&](size_t k) { read[k] = std::max(read[k], used_until(user, k, at)); });
    std::vector<int32_t> state(_o.nodes.size(), -1);
    for (size_t l = 0; l < _o.loops.size(); l++)
      if (const Loop & loop = _o.loops[l]; loop.node >= 0 && _o.is_needed(size_t(loop.node)))
        for (size_t k = 0; k < loop.states.size(); k++)
          if (const int32_t next = loop.next.empty() ? -1 : loop.next[k]; next >= 0)
          {
            const auto i = size_t(next), s = size_t(loop.states[k]);
            const Op op = _o.nodes[i].op;
            const size_t made = is_output(op) ? at[size_t(_o.system(i).node)] : at[i];
            const bool is_made_here = (is_of_values(op) || is_output(op)) && op != Op::input &&
                                      !_shared[i] && _o.loop_of[i] == int32_t(l);
            if (is_made_here && state[i] < 0 && made >= read[s])
              state[i] = loop.states[k];
          }
    return state;
  }

  void place_operations(const Program & p)
  {
    const std::vector<size_t> order = _o.order();
    const std::vector<int32_t> state = states_in_place(order);
    std::vector<size_t> last = last_uses(order, p);
    for (const size_t i : order) // a result has the same place as its state
      if (is_result(i))
        last[state_of(i)] = std::max(last[state_of(i)], last[i]);
    std::vector<std::vector<int32_t>> free_after(order.size() + 1);
    const auto free_later = [&](size_t i) { free_after[last[i]].push_back(_place[i].at / _block); };
    for (const auto & c : p.arguments)
      for (const int32_t i : c)
        if (_o.is_needed(size_t(i)) && !_shared[size_t(i)])
          free_later(size_t(i));
    const auto place = [&](size_t i)
    {
      if (state[i] >= 0)
      {
        _place[i] = _place[size_t(state[i])];
        return;
      }
      _place[i] = {slot() * _block, 1};
      free_later(i);
    };
    for (size_t n = 0; n < order.size(); n++)
    {
      const size_t i = order[n];
      std::vector<int32_t> & free = free_after[n];
      _free.insert(_free.end(), free.begin(), free.end());
      free.clear();
      if (_shared[i] || _o.nodes[i].op == Op::input || is_output(_o.nodes[i].op))
        continue;
      if (_o.nodes[i].op == Op::loop)
      {
        finish_loop(i);
        continue;
      }
      if (is_result(i))
      {
        _place[i] = _place[state_of(i)];
        continue;
      }
      if (is_of_system(_o.nodes[i].op))
      {
        for (const int32_t k : _o.system(i).outputs)
          if (_o.is_needed(size_t(k)))
            place(size_t(k));
          else
            _place[size_t(k)] = {-1, 0};
        add_system(i);
        continue;
      }
      place(i);
      if (_o.nodes[i].op == Op::state || _o.nodes[i].op == Op::state_condition)
        start_state(i);
      else
        each.push_back(instruction(i));
    }
  }

  Instruction instruction(size_t i) const
  {
    Instruction r{_o.nodes[i].op, _place[i], {}};
    size_t n = 0;
    _o.each_operand(i, [&](size_t k) { r.operand[n++] = _place[k]; });
    return r;
  }

  bool is_result(size_t i) const
  {
    return _o.nodes[i].op == Op::result || _o.nodes[i].op == Op::result_condition;
  }
  size_t state_of(size_t i) const
  {
    return size_t(_o.loop(i).states[size_t(_o.nodes[i].operand[1])]);
  }
  LoopCode & code_of(size_t i) { return loops[size_t(_o.nodes[i].operand[0])]; }

  void add_system(size_t i)
  {
    const System & system = _o.system(i);
    systems[size_t(_o.nodes[i].operand[0])] = {
        system.n, places(system.operands), places(system.outputs)};
    each.push_back({system.op, {}, {Place{_o.nodes[i].operand[0], 0}}});
  }

  void start_state(size_t i)
  {
    LoopCode & code = code_of(i);
    if (code.start.empty())
    {
      code.first = each.size();
      each.push_back({Op::state, {}, {Place{_o.nodes[i].operand[0], 0}}});
    }
    code.start.push_back({_place[size_t(_o.initial(i))], _place[i]});
  }

  void finish_loop(size_t i)
  {
    const Loop & loop = _o.loop(i);
    LoopCode & code = code_of(i);
    for (size_t k = 0; k < loop.states.size(); k++)
      if (loop.next[k] >= 0)
      {
        const Place from = _place[size_t(loop.next[k])], to = _place[size_t(loop.states[k])];
        if (from.at != to.at || from.step != to.step)
          code.next.push_back({from, to});
      }
    code.active = _place[size_t(loop.active)];
    code.most = loop.most;
    code.last = each.size();
    each.push_back({Op::loop, {}, {Place{_o.nodes[i].operand[0], 0}}});
  }

  std::vector<Place> places(const Components & c) const
  {
    std::vector<Place> r;
    for (const int32_t i : c)
      r.push_back(_place[size_t(i)]);
    return r;
  }

  void shift_varying()
  {
    const auto shift = [&](Place & p) { p.at += p.step ? shared_size : 0; };
    for (auto & i : each)
    {
      shift(i.to);
      for (auto & o : i.operand)
        shift(o);
    }
    for (auto & loop : loops)
    {
      for (auto * moves : {&loop.start, &loop.next})
        for (auto & m : *moves)
        {
          shift(m.from);
          shift(m.to);
        }
      shift(loop.active);
    }
    for (auto & s : systems)
      for (auto * c : {&s.operands, &s.outputs})
        for (auto & p : *c)
          shift(p);
    for (auto * group : {&arguments, &results})
      for (auto & c : *group)
        for (auto & p : c)
          shift(p);
  }
};
} // namespace neml2::recorded
