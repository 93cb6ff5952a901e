// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/Recording.h"

#include <algorithm>

/**
 * Products with the weights of a gradient (the derivatives of a scalar with respect to the results of a formula), recorded so that they can
 * be differentiated again.
 *
 * Where the weights of all results that depend on a node are zero, or the sides of `where` through which they depend on it are not taken,
 * the node adds nothing to the gradient, even if its derivatives are infinite or NaN. Any other product of zero and infinity is NaN.
 */
namespace neml2::recorded
{
/// Where a node adds something to a gradient.
struct Taken
{
  static constexpr int32_t nowhere = -1, everywhere = -2;

  int32_t sides =
      nowhere; ///< the condition that a result depends on the node through sides that are taken
  int32_t all =
      nowhere; ///< this, and that the weight of such a result is not zero; never `everywhere`

  /// Where an operand of a `where` adds something, if it is taken where the condition holds.
  Taken on_side(Recording & r, int32_t condition) const
  {
    if (all == nowhere)
      return {};
    return {sides == everywhere ? condition : r.record(Op::and_, sides, condition),
            r.record(Op::and_, all, condition)};
  }
  /// Adds the places of another node that depends on this one.
  void add(Recording & r, const Taken & b)
  {
    sides = either(r, sides, b.sides);
    all = either(r, all, b.all);
  }

private:
  static int32_t either(Recording & r, int32_t a, int32_t b)
  {
    return a == nowhere || b == everywhere             ? b
           : b == nowhere || a == everywhere || a == b ? a
                                                       : r.record(Op::or_, a, b);
  }
};

/// a, which is linear in the weights of a node, or 0 where the node adds nothing to the gradient. If this is differentiated again, weights
/// of zero contribute their partials.
inline int32_t
where_taken(Recording & r, const Taken & taken, int32_t a)
{
  const size_t first = r.nodes().size();
  const int32_t chosen = r.record(Op::where, taken.all, a, r.constant(0));
  const bool everywhere = taken.sides == Taken::everywhere;
  Rule rule{{a, taken.all}, {chosen}, {}};
  if (everywhere)
    rule.whole = Whole::where_taken;
  else
    rule.operands.push_back(taken.sides);
  rule.apply = [everywhere](const std::vector<int32_t> & x)
  {
    Recording & now = Recording::now();
    const int32_t da = x[1], sides = everywhere ? Taken::everywhere : x[4];
    return std::vector<int32_t>{where_taken(now, {sides, x[2]}, x[0]),
                                everywhere || now.is_constant(da, 0)
                                    ? da
                                    : now.record(Op::where, sides, da, now.constant(0))};
  };
  r.set_rule(std::move(rule), first);
  return chosen;
}

/// Operands for a rule. They begin with `fixed`, the operands in which the outputs are not linear. The linear operands follow: the operands
/// from index k on are x, all others are zero.
inline std::vector<int32_t>
with_operands(Recording & r,
              const Rule & rule,
              const std::vector<int32_t> & fixed,
              size_t k,
              const std::vector<int32_t> & x)
{
  std::vector<int32_t> operands = fixed;
  operands.resize(rule.operands.size(), r.constant(0));
  std::copy(x.begin(), x.end(), operands.begin() + std::ptrdiff_t(k));
  return operands;
}

/// Applies a symmetric map of a rule to weights. The map takes the operands that begin at index k to the outputs. The results are 0 where
/// the outputs add nothing to the gradient.
inline std::vector<int32_t>
images_of_weights(Recording & r,
                  const std::shared_ptr<const Rule> & rule,
                  const std::vector<int32_t> & fixed,
                  size_t k,
                  const std::vector<int32_t> & weights,
                  const Taken & taken)
{
  const size_t first = r.nodes().size(), n = weights.size();
  const int32_t zero = r.constant(0);
  const bool everywhere = taken.sides == Taken::everywhere;
  Rule again;
  again.operands = fixed;
  again.operands.insert(again.operands.end(), weights.begin(), weights.end());
  again.operands.insert(again.operands.end(), {taken.all, everywhere ? taken.all : taken.sides});
  for (const int32_t i : rule->linear(with_operands(r, *rule, fixed, k, weights)))
    again.outputs.push_back(r.record(Op::where, taken.all, i, zero));
  again.apply = [rule, k, n, everywhere](const std::vector<int32_t> & x)
  {
    Recording & now = Recording::now();
    const int32_t none = now.constant(0);
    const size_t size = x.size() / 2 - 2;
    const Taken again_taken{everywhere ? Taken::everywhere : x[2 * size + 2], x[2 * size]};
    std::vector<int32_t> s, w, along, with_partials;
    bool s_varies = false, w_varies = false;
    for (size_t i = 0; i < size; i++)
      if (i + n < size)
      {
        s.push_back(x[2 * i]);
        with_partials.insert(with_partials.end(), {x[2 * i], x[2 * i + 1]});
        s_varies = s_varies || !now.is_constant(x[2 * i + 1], 0);
      }
      else
      {
        w.push_back(x[2 * i]);
        along.push_back(x[2 * i + 1]);
        w_varies = w_varies || !now.is_constant(along.back(), 0);
      }
    const std::vector<int32_t> values = images_of_weights(now, rule, s, k, w, again_taken),
                               all = with_operands(now, *rule, s, k, w);
    for (size_t i = s.size(); i < all.size(); i++)
      with_partials.insert(with_partials.end(), {all[i], none});
    std::vector<int32_t> by_s, by_w, results;
    if (s_varies)
      by_s = rule->apply(with_partials);
    if (w_varies)
      by_w = rule->linear(with_operands(now, *rule, s, k, along));
    for (size_t i = 0; i < n; i++)
    {
      int32_t d = w_varies ? by_w[i] : none;
      if (s_varies)
        d = w_varies ? now.record(Op::add, d, by_s[2 * i + 1]) : by_s[2 * i + 1];
      if (!everywhere && !now.is_constant(d, 0))
        d = now.record(Op::where, again_taken.sides, d, none);
      results.insert(results.end(), {values[i], d});
    }
    return results;
  };
  const std::vector<int32_t> outputs = again.outputs;
  r.set_rule(std::move(again), first);
  return outputs;
}
} // namespace neml2::recorded
