// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/Recording.h"

namespace neml2::recorded
{
/// An operand of a formula, or a result: the nodes of its components.
using Components = std::vector<int32_t>;

/// A part of a recording: its arguments and its results.
struct Program
{
  std::vector<Components> arguments, results;
  /// For each of the first arguments, whether all rows share it, as a plain number.
  std::vector<bool> is_number = {};
};

/**
 * The operations of a program. A product that is used only in one sum or difference forms one instruction with it; the
 * instruction rounds the product and the sum separately, so that results have the same bits however the program is run.
 */
struct Operations
{
  std::vector<Node> nodes;   ///< as in the recording
  std::vector<int32_t> uses; ///< how many operations and results use it; 0 if it is not needed
  std::vector<Loop> loops;
  std::vector<System> systems;
  std::vector<int32_t> loop_of; ///< per node, its loop

  Operations(const Recording & r, const Program & p)
    : nodes(r.nodes()), uses(nodes.size()), loops(r.loops()), systems(r.systems())
  {
    for (size_t i = 0; i < nodes.size(); i++)
      loop_of.push_back(r.loop_of(int32_t(i)));
    for (const auto & result : p.results)
      for (const int32_t i : result)
        uses[size_t(i)]++;
    for (size_t i = nodes.size(); i-- > 0;)
      if (uses[i] > 0)
        each_operand(i, [&](size_t k) { uses[k]++; });
    for (size_t i = 0; i < nodes.size(); i++)
      if (uses[i] > 0)
        fuse(nodes[i]);
  }

  bool is_needed(size_t i) const { return uses[i] > 0; }
  /// The loop to which a node belongs.
  const Loop & loop(size_t i) const { return loops[size_t(nodes[i].operand[0])]; }
  /// The system to which a node belongs.
  const System & system(size_t i) const { return systems[size_t(nodes[i].operand[0])]; }
  /// The initial value of a state.
  int32_t initial(size_t i) const { return loop(i).initial[size_t(nodes[i].operand[1])]; }

  /// The nodes on which a node depends: for a loop all next states, for a final state its loop, for an output its system.
  template <class F>
  void each_operand(size_t i, const F & f) const
  {
    const Op op = nodes[i].op;
    for (int k = 0; k < operand_count(op); k++)
      f(size_t(nodes[i].operand[k]));
    if (op == Op::state || op == Op::state_condition)
      f(size_t(initial(i)));
    else if (op == Op::result || op == Op::result_condition)
      f(size_t(loop(i).node));
    else if (is_output(op))
      f(size_t(system(i).node));
    else if (is_of_system(op))
      for (const int32_t k : system(i).operands)
        f(size_t(k));
    else if (op == Op::loop)
    {
      for (const int32_t s : loop(i).states)
        f(size_t(s));
      for (const int32_t n : loop(i).next)
        if (n >= 0)
          f(size_t(n));
    }
  }

  /// The needed nodes in the order in which they run. The nodes of a loop are adjacent and directly precede its end; the outside nodes
  /// that it uses come before them.
  std::vector<size_t> order() const
  {
    std::vector<std::vector<size_t>> of(loops.size() + 1); // of no loop, then of each loop
    for (size_t i = 0; i < nodes.size(); i++)
      if (is_needed(i))
        of[size_t(loop_of[i] + 1)].push_back(i);
    std::vector<size_t> all;
    append(of, 0, all);
    return all;
  }

private:
  void
  append(const std::vector<std::vector<size_t>> & of, size_t l, std::vector<size_t> & all) const
  {
    for (const size_t i : of[l])
    {
      if (nodes[i].op == Op::loop)
        append(of, size_t(nodes[i].operand[0]) + 1, all);
      all.push_back(i);
    }
  }

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
} // namespace neml2::recorded
