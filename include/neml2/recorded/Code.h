// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/Recording.h"

#include <array>

namespace neml2::recorded
{
/// An operand of a formula, or a result: the nodes of its components.
using Components = std::vector<int32_t>;

/// A part of a recording: what it takes and what it gives.
struct Program
{
  std::vector<Components> arguments, results;
  std::vector<bool> is_number = {}; ///< of the first arguments: whether all rows share it, as a plain number
};

/**
 * The operations of a program, where products that are only added or subtracted are multiplied and added at once, with one
 * rounding where the machine can: so however it is run, its results have the same bits.
 */
struct Operations
{
  std::vector<Node> nodes;   ///< as in the recording
  std::vector<int32_t> uses; ///< by other operations and as results; 0 of what is not needed

  Operations(const Recording & r, const Program & p) : nodes(r.nodes()), uses(nodes.size())
  {
    for (const auto & result : p.results)
      for (const int32_t i : result)
        uses[size_t(i)]++;
    for (size_t i = nodes.size(); i-- > 0;)
      for (int k = 0; uses[i] > 0 && k < operand_count(nodes[i].op); k++)
        uses[size_t(nodes[i].operand[k])]++;
    for (size_t i = 0; i < nodes.size(); i++)
      if (uses[i] > 0)
        fuse(nodes[i]);
  }

  bool is_needed(size_t i) const { return uses[i] > 0; }

  template <class F>
  void each_operand(size_t i, const F & f) const
  {
    for (int k = 0; k < operand_count(nodes[i].op); k++)
      f(size_t(nodes[i].operand[k]));
  }

private:
  bool is_single_product(int32_t i) const
  {
    return nodes[size_t(i)].op == Op::multiply && uses[size_t(i)] == 1;
  }

  void fuse(Node & n)
  {
    if (n.op != Op::add && n.op != Op::subtract)
      return;
    const int32_t a = n.operand[0], b = n.operand[1];
    const bool first = is_single_product(a);
    if (!first && !is_single_product(b))
      return;
    const int32_t product = first ? a : b, other = first ? b : a;
    const Node m = nodes[size_t(product)];
    const Op op = n.op == Op::add ? Op::multiply_add
                  : first         ? Op::multiply_subtract
                                  : Op::subtract_product;
    n = {op, {m.operand[0], m.operand[1], other}};
    uses[size_t(product)] = 0;
  }
};

/// Where an interpreter has a value, in packs: those of a block of rows one after the other, or one for all rows.
struct Place
{
  int32_t at = 0;
  int32_t step = 0;
};

struct Instruction
{
  Op op;
  Place to;
  std::array<Place, 3> operand;
};

/**
 * A program with a place for each value, for rows of which some arguments are shared.
 *
 * What depends on nothing but constants and shared arguments is computed once for all rows. The others share places:
 * each is free again after its last use.
 */
class Code
{
public:
  /// For blocks of so many packs.
  Code(const Operations & o, const Program & p, const std::vector<bool> & is_shared, int block)
    : _o(o), _block(block), _shared(o.nodes.size()), _place(o.nodes.size())
  {
    find_shared(p, is_shared);
    place_shared();
    place_arguments(p, is_shared);
    place_operations(p);
    for (const auto & c : p.results)
      results.push_back(places(c));
    size = shared_size + int32_t(_slots) * block;
    shift_varying(); // all after the shared ones
  }

  struct Constant
  {
    int32_t at;
    double number;
  };
  std::vector<Constant> constants;
  std::vector<Instruction> once, each; ///< before the rows, and for each block of them
  std::vector<std::vector<Place>> arguments, results; ///< of components; -1 where none is needed
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
        bool all = true;
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

  void place_operations(const Program & p)
  {
    std::vector<int32_t> left = _o.uses;
    for (const auto & result : p.results) // which are never used up
      for (const int32_t i : result)
        left[size_t(i)] = std::numeric_limits<int32_t>::max();
    for (size_t i = 0; i < _o.nodes.size(); i++)
    {
      if (_shared[i] || !_o.is_needed(i) || _o.nodes[i].op == Op::input)
        continue;
      const auto use = [&](size_t k)
      {
        if (!_shared[k] && --left[k] == 0)
          _free.push_back(_place[k].at / _block);
      };
      _o.each_operand(i, use);
      _place[i] = {slot() * _block, 1};
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
    for (auto * group : {&arguments, &results})
      for (auto & c : *group)
        for (auto & p : c)
          shift(p);
  }
};
} // namespace neml2::recorded
