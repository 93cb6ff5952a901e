// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/weights.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

/**
 * The derivatives of a recorded formula. A formula is recorded with duals, so the recording also contains the partials of the results. They
 * are linear in the partials of the arguments, which are called seeds.
 *
 * Therefore all derivative rules come from the kernels. This header only applies the linear map to other seeds, or transposes it.
 *
 * Source: Griewank and Walther (2008), Evaluating Derivatives, chapter 3.
 */
namespace neml2::recorded
{
/// A linear map from seeds to partials; both are nodes of the recording.
class LinearMap
{
public:
  /// With `by_rules`, partials that have a linear Rule are recorded by this rule, so that they can be differentiated again.
  LinearMap(Recording & r,
            std::vector<int32_t> seeds,
            std::vector<int32_t> partials,
            bool by_rules = false)
    : _r(r),
      _seeds(std::move(seeds)),
      _partials(std::move(partials)),
      _size(r.nodes().size()),
      _by_rules(by_rules)
  {
    find_dependent();
  }

  /// The partials for other seeds. A seed given as -1 is zero, and its products with infinity or NaN are zero, too.
  std::vector<int32_t> of(const std::vector<int32_t> & seeds) const
  {
    std::vector<int32_t> x(_size, -1);
    for (size_t k = 0; k < seeds.size(); k++)
      x[size_t(_seeds[k])] = seeds[k];
    for (const int32_t i : _order)
      if (const auto rule = linear_rule(i))
        set_image_by(*rule, i, x);
      else if (const Node n = _r.node(i); is_of_system(n.op))
        set_image_of_system(system(n), x);
      else if (!is_output(n.op)) // the outputs of a system have been set together
        x[size_t(i)] = image(n, x);
    return values(x, _partials);
  }

  /// The transposed map: Σ_o weights_o ∂partial_o/∂seed_k. Nodes that depend on no weight but zero, or only through sides of `where` that
  /// are not taken, add nothing, even if their derivatives are infinite.
  std::vector<int32_t> transposed(const std::vector<int32_t> & weights) const
  {
    std::vector<int32_t> x(_size, -1);
    _taken.assign(_size, {});
    for (size_t k = 0; k < weights.size(); k++)
      if (const int32_t p = _partials[k]; depends(p))
        add(x, p, weights[k], is_guarded(p) ? where_not_zero(weights[k]) : Taken());
    for (size_t k = _order.size(); k-- > 0;)
    {
      const int32_t i = _order[k];
      const Node n = _r.node(i);
      if (const auto rule = linear_rule(i))
      {
        if (is_first_output(*rule, i)) // the weights of the other outputs are already known
          hand_down_by(rule, x);
      }
      else if (is_of_system(n.op))
        hand_down_system(system(n), x);
      else if (is_output(n.op))
        _taken[size_t(system(n).node)].add(_r, _taken[size_t(i)]);
      else if (x[size_t(i)] >= 0)
        hand_down(i, x);
    }
    return values(x, _seeds);
  }

private:
  Recording & _r;
  std::vector<int32_t> _seeds, _partials;
  size_t _size;
  bool _by_rules;
  std::vector<bool> _depends;         ///< whether a node depends on a seed
  std::vector<bool> _may_be_infinite; ///< whether a node may be infinite or NaN
  std::vector<int32_t> _order;        ///< the nodes between the seeds and the partials
  std::vector<bool> _is_guarded; ///< whether a node has a part in a derivative that may be infinite
  mutable std::vector<Taken> _taken; ///< of the nodes that are guarded

  void find_dependent()
  {
    std::vector<bool> matters(_size); // whether the partials depend on the node
    for (const int32_t p : _partials)
      matters[size_t(p)] = true;
    for (size_t i = _size; i-- > 0;)
      if (matters[i])
        each_operand(int32_t(i), [&](int32_t k) { matters[size_t(k)] = true; });
    for (const auto & [i, reason] : _r.refused())
      if (size_t(i) < _size && matters[size_t(i)])
        throw std::invalid_argument(reason);
    _depends.resize(_size);
    _may_be_infinite.resize(_size);
    for (const int32_t s : _seeds)
      _depends[size_t(s)] = true;
    for (size_t i = 0; i < _size; i++)
    {
      if (!matters[i])
        continue;
      const Node n = _r.node(int32_t(i));
      bool depends = false;
      bool infinite = n.op == Op::sqrt || (n.op >= Op::cbrt && n.op <= Op::atanh) ||
                      (n.op == Op::constant && !std::isfinite(n.number));
      infinite = infinite || n.op == Op::divide || n.op == Op::pow || n.op == Op::fmod ||
                 n.op == Op::state || n.op == Op::result || is_of_system(n.op);
      each_operand(int32_t(i),
                   [&](int32_t k)
                   {
                     depends = depends || _depends[size_t(k)];
                     infinite = infinite || _may_be_infinite[size_t(k)];
                   });
      _may_be_infinite[i] = infinite;
      if (!depends)
        continue;
      _depends[i] = true;
      _order.push_back(int32_t(i));
    }
    find_guarded();
  }
  /// Finds the nodes whose weights are multiplied by a derivative that may be infinite, and those that depend on them.
  void find_guarded()
  {
    _is_guarded.resize(_size);
    for (const int32_t i : _order)
    {
      const Node n = _r.node(i);
      bool guarded = linear_rule(i) || is_of_system(n.op) || n.op == Op::divide;
      if (n.op == Op::multiply)
        for (const int k : {0, 1})
          guarded = guarded || (!depends(n.operand[k]) && _may_be_infinite[size_t(n.operand[k])]);
      each_operand(i, [&](int32_t k) { guarded = guarded || (depends(k) && is_guarded(k)); });
      _is_guarded[size_t(i)] = guarded;
    }
  }

  bool is_guarded(int32_t i) const { return _is_guarded[size_t(i)]; }
  Taken where_not_zero(int32_t weight) const
  {
    return {Taken::everywhere, _r.record(Op::not_equal, weight, _r.constant(0))};
  }
  Taken taken(const std::vector<int32_t> & outputs) const
  {
    Taken any;
    for (const int32_t o : outputs)
      if (size_t(o) < _size)
        any.add(_r, _taken[size_t(o)]);
    return any;
  }
  /// a, or 0 where nothing is taken.
  int32_t guarded(const Taken & taken, int32_t a) const
  {
    return taken.all == Taken::nowhere ? a
           : _by_rules                 ? where_taken(_r, taken, a)
                                       : _r.record(Op::where, taken.all, a, _r.constant(0));
  }

  int32_t guarded_product(const Taken & taken, Op op, int32_t weight, int32_t factor) const
  {
    return _by_rules && taken.all != Taken::nowhere
               ? product_where_taken(_r, taken, op, weight, factor)
               : guarded(taken, _r.record(op, weight, factor));
  }

  bool depends(int32_t i) const { return _depends[size_t(i)]; }

  const System & system(const Node & n) const { return _r.systems()[size_t(n.operand[0])]; }

  /// The operands of a node, except those of a loop.
  template <class F>
  void each_operand(int32_t i, const F & f) const
  {
    if (const auto rule = linear_rule(i))
    {
      for (const int32_t k : rule->operands)
        f(k);
      return;
    }
    const Node & n = _r.node(i);
    for (int k = 0; k < operand_count(n.op); k++)
      f(n.operand[k]);
    if (is_output(n.op))
      f(system(n).node);
    else if (is_of_system(n.op))
      for (const int32_t k : system(n).operands)
        f(k);
  }

  [[noreturn]] static void fail()
  {
    throw std::logic_error(
        "a derivative of a recorded formula is not linear in the derivatives of its arguments");
  }

  /// The value, for other seeds, of a node that depends on seeds. Addends that do not depend on seeds are zero.
  int32_t image(const Node & n, const std::vector<int32_t> & x) const
  {
    const auto of = [&](int k) { return depends(n.operand[k]) ? x[size_t(n.operand[k])] : -1; };
    const auto or_zero = [&](int32_t i) { return i < 0 ? _r.constant(0) : i; };
    const int32_t a = of(0), b = operand_count(n.op) > 1 ? of(1) : -1;
    switch (n.op)
    {
    case Op::negate:
      return a < 0 ? -1 : _r.record(Op::negate, a);
    case Op::add:
      return a < 0 ? b : b < 0 ? a : _r.record(Op::add, a, b);
    case Op::subtract:
      return b < 0 ? a : a < 0 ? _r.record(Op::negate, b) : _r.record(Op::subtract, a, b);
    case Op::multiply:
      if (depends(n.operand[0]) && depends(n.operand[1]))
        fail();
      if (a < 0 && b < 0)
        return -1;
      return a >= 0 ? _r.record(Op::multiply, a, n.operand[1])
                    : _r.record(Op::multiply, b, n.operand[0]);
    case Op::divide:
      if (depends(n.operand[1]))
        fail();
      return a < 0 ? -1 : _r.record(Op::divide, a, n.operand[1]);
    case Op::where:
    {
      if (depends(n.operand[0]))
        fail();
      const int32_t c = of(2);
      return b < 0 && c < 0 ? -1 : _r.record(Op::where, n.operand[0], or_zero(b), or_zero(c));
    }
    default:
      fail();
    }
  }

  void check_linear(const System & s) const { check_linear(s.operands, s.linear_from()); }
  void check_linear(const std::vector<int32_t> & operands, size_t linear_from) const
  {
    for (size_t k = 0; k < linear_from; k++)
      if (depends(operands[k]))
        fail();
  }

  /// The outputs of a system with other values for the operands in which it is linear.
  std::vector<int32_t> record_like(const System & s, const std::vector<int32_t> & right) const
  {
    std::vector<int32_t> operands(s.operands.begin(), s.operands.begin() + long(s.linear_from()));
    operands.insert(operands.end(), right.begin(), right.end());
    return _r.record_system(s.op, s.n, operands);
  }

  /// The system that applies the transposed map of s. For the derivative of a function at A this is the derivative at Aᵀ.
  /// Source: Higham (2008), Functions of Matrices, section 3.2.
  static System transposed(System s)
  {
    if (!is_matrix_derivative(s.op))
      s.op = s.op == Op::solve ? Op::solve_transposed : Op::solve;
    else
      for (int32_t i = 0; i < s.n; i++)
        for (int32_t j = 0; j < i; j++)
          std::swap(s.operands[size_t(s.n * i + j)], s.operands[size_t(s.n * j + i)]);
    return s;
  }

  /// The linear rule of a node; null if the node has none, or if rules are not used.
  std::shared_ptr<const Rule> linear_rule(int32_t i) const
  {
    const auto rule = _by_rules ? _r.rule(i) : nullptr;
    return rule && rule->linear ? rule : nullptr;
  }
  void set_image_by(const Rule & rule, int32_t i, std::vector<int32_t> & x) const
  {
    if (x[size_t(i)] >= 0)
      return; // it was set together with another output of the rule
    check_linear(rule.operands, rule.linear_from);
    std::vector<int32_t> operands = rule.operands;
    bool any = false;
    for (size_t k = rule.linear_from; k < operands.size(); k++)
    {
      const int32_t b = depends(operands[k]) ? x[size_t(operands[k])] : -1;
      any = any || b >= 0;
      operands[k] = b < 0 ? _r.constant(0) : b;
    }
    if (!any)
      return;
    const std::vector<int32_t> outputs = rule.linear(operands);
    for (size_t k = 0; k < outputs.size(); k++)
      if (linear_rule(rule.outputs[k]).get() == &rule)
        x[size_t(rule.outputs[k])] = outputs[k];
  }

  // The next two functions take a copy of a System, because recording may move systems in memory.

  void set_image_of_system(const System s, std::vector<int32_t> & x) const
  {
    check_linear(s);
    std::vector<int32_t> right;
    bool any = false;
    for (size_t k = s.linear_from(); k < s.operands.size(); k++)
    {
      const int32_t b = depends(s.operands[k]) ? x[size_t(s.operands[k])] : -1;
      any = any || b >= 0;
      right.push_back(b < 0 ? _r.constant(0) : b);
    }
    if (!any)
      return;
    const auto outputs = record_like(s, right);
    for (size_t k = 0; k < outputs.size(); k++)
      x[size_t(s.outputs[k])] = outputs[k];
  }

  void hand_down_system(const System s, std::vector<int32_t> & x) const
  {
    check_linear(s);
    const auto weights = weights_of(s.outputs, x);
    if (!weights)
      return;
    const Taken here = _taken[size_t(s.node)];
    const auto outputs = record_like(transposed(s), *weights);
    for (size_t k = 0; k < outputs.size(); k++)
      add(x, s.operands[s.linear_from() + k], guarded(here, outputs[k]), here);
  }

  /// The weights of several outputs; none if no output has one.
  std::optional<std::vector<int32_t>> weights_of(const std::vector<int32_t> & outputs,
                                                 const std::vector<int32_t> & x) const
  {
    std::vector<int32_t> weights;
    bool any = false;
    for (const int32_t o : outputs)
    {
      const int32_t w = size_t(o) < x.size() ? x[size_t(o)] : -1;
      any = any || w >= 0;
      weights.push_back(w < 0 ? _r.constant(0) : w);
    }
    return any ? std::optional(weights) : std::nullopt;
  }

  /// Whether node i is the first of the outputs of its rule that depend on a seed.
  bool is_first_output(const Rule & rule, int32_t i) const
  {
    return std::none_of(rule.outputs.begin(),
                        rule.outputs.end(),
                        [&](int32_t o)
                        { return o < i && depends(o) && linear_rule(o).get() == &rule; });
  }

  void hand_down_by(const std::shared_ptr<const Rule> & shared, std::vector<int32_t> & x) const
  {
    const Rule & rule = *shared;
    check_linear(rule.operands, rule.linear_from);
    const size_t n = rule.outputs.size();
    const int32_t zero = _r.constant(0), one = _r.constant(1);
    std::vector<int32_t> outputs = rule.outputs;
    // An output may have another rule, or be in the list twice.
    for (size_t i = 0; i < n; i++)
      if (linear_rule(outputs[i]) != shared ||
          std::find(outputs.begin(), outputs.begin() + std::ptrdiff_t(i), outputs[i]) !=
              outputs.begin() + std::ptrdiff_t(i))
        outputs[i] = std::numeric_limits<int32_t>::max();
    const auto weights = weights_of(outputs, x);
    if (!weights)
      return;
    const Taken here = taken(outputs);
    const std::vector<int32_t> fixed(rule.operands.begin(),
                                     rule.operands.begin() + std::ptrdiff_t(rule.linear_from));
    const auto is_active = [&](size_t k) { return depends(rule.operands[k]); };
    for (size_t k = rule.linear_from; k < rule.operands.size(); k++)
    {
      const auto begins = rule.symmetric.begin(), ends = rule.symmetric.end();
      if (std::find(begins, ends, k) != ends)
      {
        bool any = false;
        for (size_t i = 0; i < n; i++)
          any = any || is_active(k + i);
        if (any)
        {
          const auto images = images_of_weights(_r, shared, fixed, k, *weights, here);
          for (size_t i = 0; i < n; i++)
            add(x, rule.operands[k + i], images[i], here);
        }
        k += n - 1;
      }
      else if (is_active(k))
      {
        const auto images = rule.linear(with_operands(_r, rule, fixed, k, {one}));
        int32_t sum = -1;
        for (size_t i = 0; i < n; i++)
          if (!_r.is_constant(images[i], 0) && (*weights)[i] != zero)
          {
            const int32_t product = guarded_product(here, Op::multiply, (*weights)[i], images[i]);
            sum = sum < 0 ? product : _r.record(Op::add, sum, product);
          }
        if (sum >= 0)
          add(x, rule.operands[k], sum, here);
      }
    }
  }

  /// Adds an amount, and the places where it is taken, to the weight of a node.
  void add(std::vector<int32_t> & x, int32_t to, int32_t amount, const Taken & taken) const
  {
    if (!depends(to))
      return;
    int32_t & sum = x[size_t(to)];
    sum = sum < 0 ? amount : _r.record(Op::add, sum, amount);
    if (is_guarded(to))
      _taken[size_t(to)].add(_r, taken);
  }

  /// Adds the weight of a node, times the derivatives of the node, to the weights of its operands.
  void hand_down(int32_t i, std::vector<int32_t> & x) const
  {
    const Node n = _r.node(i);
    const int32_t w = x[size_t(i)];
    const Taken here = _taken[size_t(i)];
    switch (n.op)
    {
    case Op::negate:
      return add(x, n.operand[0], _r.record(Op::negate, w), here);
    case Op::add:
      add(x, n.operand[0], w, here);
      return add(x, n.operand[1], w, here);
    case Op::subtract:
      add(x, n.operand[0], w, here);
      if (depends(n.operand[1]))
        add(x, n.operand[1], _r.record(Op::negate, w), here);
      return;
    case Op::multiply:
    {
      const int active = depends(n.operand[0]) ? 0 : 1;
      const int32_t factor = n.operand[1 - active];
      if (depends(factor))
        fail();
      return add(x,
                 n.operand[active],
                 _may_be_infinite[size_t(factor)] ? guarded_product(here, Op::multiply, w, factor)
                                                  : _r.record(Op::multiply, w, factor),
                 here);
    }
    case Op::divide:
      if (depends(n.operand[1]))
        fail();
      return add(x, n.operand[0], guarded_product(here, Op::divide, w, n.operand[1]), here);
    case Op::where:
    {
      const int32_t c = n.operand[0], zero = _r.constant(0);
      if (depends(c))
        fail();
      if (depends(n.operand[1]))
        add(x, n.operand[1], _r.record(Op::where, c, w, zero), here.on_side(_r, c));
      if (depends(n.operand[2]))
      {
        const Taken otherwise =
            here.all == Taken::nowhere ? here : here.on_side(_r, _r.record(Op::not_, c));
        add(x, n.operand[2], _r.record(Op::where, c, zero, w), otherwise);
      }
      return;
    }
    default:
      fail();
    }
  }

  std::vector<int32_t> values(const std::vector<int32_t> & x,
                              const std::vector<int32_t> & nodes) const
  {
    std::vector<int32_t> r;
    for (const int32_t i : nodes)
      r.push_back(depends(i) && x[size_t(i)] >= 0 ? x[size_t(i)] : _r.constant(0));
    return r;
  }
};
} // namespace neml2::recorded
