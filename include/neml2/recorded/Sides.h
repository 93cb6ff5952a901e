// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/Operations.h"

#include <algorithm>
#include <tuple>

namespace neml2::recorded
{
/**
 * The sides of the `where` operations of a program. A node belongs to a side if only this side needs it. Sides count as one if they are
 * taken for the same value of the same condition, and lie in the same outer side and the same loop. Where the other side is taken, the derivatives of these nodes have no effect, but the chain rule multiplies them by 0, which
 * gives NaN where they are infinite. A differentiation by the chain rule must therefore treat what the nodes take from outside of the side
 * as constant there.
 */
class Sides
{
public:
  struct Side
  {
    size_t condition;
    bool is_first;       ///< whether the side is taken where the condition holds
    int32_t outer;       ///< the innermost side that contains it, or -1; it has a smaller number
    int32_t loop;        ///< the loop that contains it, or -1
    bool guards = false; ///< whether derivatives of its nodes may be infinite
    std::vector<size_t> where; ///< the operations `where`, the last one first
  };

  Sides() = default;
  /// each_operand(i, f) calls f for the nodes from which node i is computed.
  template <class EachOperand>
  Sides(const Operations & o, const Program & p, const EachOperand & each_operand)
    : _o(&o), _side(o.nodes.size(), unknown)
  {
    for (const auto & result : p.results)
      for (const int32_t i : result)
        add(size_t(i), -1);
    for (size_t i = o.nodes.size(); i-- > 0;)
    {
      const Node & n = o.nodes[i];
      _side[i] = std::max(_side[i], -1);
      if (!o.is_needed(i))
        continue;
      const bool is_of_whole = o.whole.count(i) != 0;
      if (n.op == Op::where && !is_of_whole)
      {
        add(size_t(n.operand[0]), _side[i]);
        for (const int k : {1, 2})
        {
          const int32_t s = side(size_t(n.operand[0]), k == 1, _side[i], o.loop_of[i]);
          _sides[size_t(s)].where.push_back(i);
          add(size_t(n.operand[k]), s);
        }
      }
      else
        each_operand(i, [&](size_t k) { add(k, _side[i]); });
      if (!has_finite_derivatives(n.op) || is_of_whole)
        for (int32_t s = _side[i]; s >= 0 && !_sides[size_t(s)].guards; s = _sides[size_t(s)].outer)
          _sides[size_t(s)].guards = true;
    }
  }

  const Side & operator[](int32_t s) const { return _sides[size_t(s)]; }
  /// The innermost side to which node i belongs, or -1.
  int32_t of(size_t i) const { return _side.empty() ? -1 : _side[i]; }
  /// The innermost side that contains both sides, or -1.
  int32_t common(int32_t a, int32_t b) const
  {
    while (a != b)
      (a > b ? a : b) = _sides[size_t(std::max(a, b))].outer;
    return a;
  }
  /// The `where` directly before which node i must run, so that the conditions of its sides are known; -1 if it must run in its place.
  int32_t runs_before(size_t i) const
  {
    int32_t s = of(i);
    while (s >= 0 && !_sides[size_t(s)].guards)
      s = _sides[size_t(s)].outer;
    if (s < 0 || is_state(_o->nodes[i].op)) // a loop begins with its states
      return -1;
    const Side & side = _sides[size_t(s)];
    // the first of the operations that come after the node
    const auto w =
        std::find_if(side.where.rbegin(), side.where.rend(), [&](size_t k) { return k > i; });
    return side.loop == _o->loop_of[i] && w != side.where.rend() ? int32_t(*w) : -1;
  }

private:
  static constexpr int32_t unknown = -2;

  const Operations * _o = nullptr;
  std::vector<Side> _sides;
  std::map<std::tuple<size_t, bool, int32_t, int32_t>, int32_t> _numbers; ///< of the sides
  std::vector<int32_t> _side;                                             ///< of each node

  /// The number of a side.
  int32_t side(size_t condition, bool is_first, int32_t outer, int32_t loop)
  {
    const auto [found, is_new] =
        _numbers.try_emplace(std::tuple(condition, is_first, outer, loop), int32_t(_sides.size()));
    if (is_new)
      _sides.push_back({condition, is_first, outer, loop, false, {}});
    return found->second;
  }
  static bool is_state(Op op) { return op == Op::state || op == Op::state_condition; }
  /// Notes that side s needs node k.
  void add(size_t k, int32_t s)
  {
    // A loop computes its operands before it starts, when the conditions in the loop are not known.
    while (s >= 0 && is_inside(_sides[size_t(s)].loop, _o->loop_of[k]))
      s = _sides[size_t(s)].outer;
    _side[k] = _side[k] == unknown ? s : common(_side[k], s);
  }
  /// Whether loop a is inside loop b.
  bool is_inside(int32_t a, int32_t b) const
  {
    const int32_t inner = a;
    while (a > b)
      a = _o->loop_of[size_t(_o->loops[size_t(a)].node)];
    return a == b && inner != b;
  }
  /// Whether the derivatives of op are finite where its operands are.
  static bool has_finite_derivatives(Op op)
  {
    return op == Op::input || op == Op::constant || op == Op::negate || op == Op::abs ||
           op == Op::norm_of_square || op == Op::macaulay || op == Op::sin || op == Op::cos ||
           op == Op::atan || op == Op::tanh || op == Op::asinh || op == Op::add ||
           op == Op::subtract || op == Op::multiply || op >= Op::minimum;
  }
};
} // namespace neml2::recorded
