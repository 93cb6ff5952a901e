// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/Recording.h"

#include <map>

namespace neml2::recorded
{
/// The node of each component of an argument or a result.
using Components = std::vector<int32_t>;

/// A part of a recording: its arguments and its results.
struct Program
{
  std::vector<Components> arguments, results;
  /// Whether each argument is a plain number, which all rows share; false beyond the end.
  std::vector<bool> is_number = {};
};

/**
 * The operations of a program. A product that is used only once, in a sum or a difference, is joined with that sum or difference into one
 * instruction. The instruction rounds the product and the sum separately. Therefore results have the same bits whether the program is
 * interpreted or compiled.
 */
struct Operations
{
  std::vector<Node> nodes;   ///< as in the recording
  std::vector<int32_t> uses; ///< for each node, the number of operations and results that use it
  std::vector<Loop> loops;
  std::vector<System> systems;
  std::vector<int32_t> loop_of; ///< for each node, the innermost loop that contains it, or -1
  /// The rules of needed nodes, except the rules whose Rule::whole is by_operations.
  std::map<size_t, std::shared_ptr<const Rule>> whole;

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
      {
        if (const auto rule = r.rule(int32_t(i)); rule && rule->whole != Whole::by_operations)
          whole.emplace(i, rule);
        fuse(nodes[i]);
      }
  }

  bool is_needed(size_t i) const { return uses[i] > 0; }
  /// The loop of a node that is a state, a final state or the end of a loop.
  const Loop & loop(size_t i) const { return loops[size_t(nodes[i].operand[0])]; }
  /// The system of a node that is a System's operation or output.
  const System & system(size_t i) const { return systems[size_t(nodes[i].operand[0])]; }
  /// The initial value of a state.
  int32_t initial(size_t i) const { return loop(i).initial[size_t(nodes[i].operand[1])]; }

  /// Calls f for the nodes on which a node depends. A loop depends on all its next states, a final state on its loop, an output on its
  /// system.
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
    return order([](size_t) { return -1; });
  }
  /// The needed nodes in the order in which they run if some run later: node i runs directly before node runs_before(i), which is in the
  /// same loop, or in its place if runs_before(i) is -1.
  template <class RunsBefore>
  std::vector<size_t> order(const RunsBefore & runs_before) const
  {
    // First the nodes outside all loops, then those of each loop; and the nodes that run before another one.
    std::vector<std::vector<size_t>> of(loops.size() + 1);
    std::map<size_t, std::vector<size_t>> before;
    for (size_t i = 0; i < nodes.size(); i++)
      if (is_needed(i))
      {
        const int32_t later = runs_before(i);
        (later < 0 ? of[size_t(loop_of[i] + 1)] : before[size_t(later)]).push_back(i);
      }
    std::vector<size_t> all;
    const auto append = [&](const auto & again, const std::vector<size_t> & list) -> void
    {
      for (const size_t i : list)
      {
        if (const auto found = before.find(i); found != before.end())
          again(again, found->second);
        if (nodes[i].op == Op::loop)
          again(again, of[size_t(nodes[i].operand[0]) + 1]);
        all.push_back(i);
      }
    };
    append(append, of[0]);
    return all;
  }

  /// For each node, whether it need not be computed because kernels::NewtonIteration runs its loop. Only the states, the residual and its
  /// derivatives, and the nodes from which these are computed, are needed in such a loop. newton_of returns the NewtonLoop of a loop that
  /// kernels::NewtonIteration runs, otherwise null.
  template <class NewtonOf>
  std::vector<bool> left_to_newton(const NewtonOf & newton_of) const
  {
    std::vector<bool> left(nodes.size());
    for (size_t l = 0; l < loops.size(); l++)
    {
      const Loop & loop = loops[l];
      const NewtonLoop * const newton = newton_of(loop);
      if (!newton || !is_needed(size_t(loop.node)))
        continue;
      std::vector<bool> takes(nodes.size());
      for (const auto & ids : {newton->r, newton->J})
        for (const int32_t i : ids)
          takes[size_t(i)] = true;
      const auto is_inside = [&](int32_t of)
      {
        while (of > int32_t(l))
          of = loop_of[size_t(loops[size_t(of)].node)];
        return of == int32_t(l);
      };
      for (int32_t i = loop.node - 1; i > loop.states.back(); i--)
        if (!is_needed(size_t(i)))
          continue;
        else if (takes[size_t(i)])
          each_operand(size_t(i), [&](size_t k) { takes[k] = true; });
        else if (is_inside(loop_of[size_t(i)]))
          left[size_t(i)] = true;
    }
    return left;
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
} // namespace neml2::recorded
