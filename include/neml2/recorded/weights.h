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

  /// The condition that a result depends on the node through sides that are taken.
  int32_t sides = nowhere;
  /// The condition that such a result has, besides, a weight that is not zero; never `everywhere`.
  int32_t all = nowhere;

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

/// A rule for results that are 0 where a node adds nothing to the gradient, otherwise `values`. Its operands are the values, the conditions,
/// then `others`.
inline Rule
rule_where_taken(Recording & r,
                 const std::vector<int32_t> & values,
                 const Taken & taken,
                 const std::vector<int32_t> & others)
{
  Rule rule{values, {}, {}};
  rule.operands.push_back(taken.all);
  rule.whole = Whole::where_taken;
  if (taken.sides != Taken::everywhere)
  {
    rule.operands.push_back(taken.sides);
    rule.whole = Whole::where_taken_on_sides;
  }
  rule.operands.insert(rule.operands.end(), others.begin(), others.end());
  for (const int32_t i : values)
    rule.outputs.push_back(r.record(Op::where, taken.all, i, r.constant(0)));
  return rule;
}
/// Where the node of such a rule adds something, from operands with partials: n values, then the conditions.
inline Taken
taken_from(const std::vector<int32_t> & x, size_t n, bool everywhere)
{
  return {everywhere ? Taken::everywhere : x[2 * n + 2], x[2 * n]};
}
/// The partial d where sides are taken, otherwise 0.
inline int32_t
on_sides(Recording & r, const Taken & taken, int32_t d)
{
  const bool all = taken.sides == Taken::everywhere || r.is_constant(d, 0);
  return all ? d : r.record(Op::where, taken.sides, d, r.constant(0));
}

/// a, which is linear in the weights of a node, or 0 where the node adds nothing to the gradient. If this is differentiated again, weights
/// of zero contribute their partials.
inline int32_t
where_taken(Recording & r, const Taken & taken, int32_t a)
{
  const size_t first = r.nodes().size();
  const bool everywhere = taken.sides == Taken::everywhere;
  Rule rule = rule_where_taken(r, {a}, taken, {});
  rule.apply = [everywhere](const std::vector<int32_t> & x)
  {
    Recording & now = Recording::now();
    const Taken again = taken_from(x, 1, everywhere);
    return std::vector<int32_t>{where_taken(now, again, x[0]), on_sides(now, again, x[1])};
  };
  const int32_t chosen = rule.outputs[0];
  r.set_rule(std::move(rule), first);
  return chosen;
}

/// weight · factor or weight / factor, or 0 where the node of the weight adds nothing to the gradient. If this is differentiated again,
/// weights of zero contribute their partials, but nothing by the partials of the factor, even if these are infinite.
inline int32_t
product_where_taken(Recording & r, const Taken & taken, Op op, int32_t weight, int32_t factor)
{
  const size_t first = r.nodes().size();
  const bool everywhere = taken.sides == Taken::everywhere;
  const int32_t product = r.record(op, weight, factor);
  Rule rule = rule_where_taken(r, {product}, taken, {weight, factor});
  rule.apply = [op, everywhere](const std::vector<int32_t> & x)
  {
    Recording & now = Recording::now();
    const Taken again = taken_from(x, 1, everywhere);
    const size_t k = x.size() - 4;
    const int32_t w = x[k], dw = x[k + 1], f = x[k + 2], df = x[k + 3];
    int32_t d = now.is_constant(dw, 0) ? dw : on_sides(now, again, now.record(op, dw, f));
    if (!now.is_constant(df, 0))
    { // d(w f) = dw f + w df, d(w / f) = dw / f - w (df / f / f)
      const bool is_product = op == Op::multiply;
      const int32_t by_f = is_product ? df : now.record(op, now.record(op, df, f), f);
      const int32_t of_f = product_where_taken(now, again, Op::multiply, w, by_f);
      d = now.record(is_product ? Op::add : Op::subtract, d, of_f);
    }
    return std::vector<int32_t>{product_where_taken(now, again, op, w, f), d};
  };
  const int32_t chosen = rule.outputs[0];
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
  const bool everywhere = taken.sides == Taken::everywhere;
  std::vector<int32_t> others = fixed;
  others.insert(others.end(), weights.begin(), weights.end());
  const std::vector<int32_t> images = rule->linear(with_operands(r, *rule, fixed, k, weights));
  Rule again = rule_where_taken(r, images, taken, others);
  again.apply = [rule, k, n, everywhere](const std::vector<int32_t> & x)
  {
    Recording & now = Recording::now();
    const int32_t none = now.constant(0);
    const Taken here = taken_from(x, n, everywhere);
    std::vector<int32_t> s, w, along, with_partials;
    bool s_varies = false, w_varies = false;
    for (size_t i = 2 * (n + (everywhere ? 1 : 2)); i < x.size(); i += 2)
      if (i + 2 * n < x.size())
      {
        s.push_back(x[i]);
        with_partials.insert(with_partials.end(), {x[i], x[i + 1]});
        s_varies = s_varies || !now.is_constant(x[i + 1], 0);
      }
      else
      {
        w.push_back(x[i]);
        along.push_back(x[i + 1]);
        w_varies = w_varies || !now.is_constant(along.back(), 0);
      }
    const std::vector<int32_t> values = images_of_weights(now, rule, s, k, w, here),
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
      {
        const int32_t part = now.record(Op::where, here.all, by_s[2 * i + 1], none);
        d = w_varies ? now.record(Op::add, d, part) : part;
      }
      results.insert(results.end(), {values[i], on_sides(now, here, d)});
    }
    return results;
  };
  const std::vector<int32_t> outputs = again.outputs;
  r.set_rule(std::move(again), first);
  return outputs;
}
} // namespace neml2::recorded
