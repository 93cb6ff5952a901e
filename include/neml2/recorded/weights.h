// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/Recording.h"

#include <algorithm>

/**
 * Products with the weights of a gradient (the derivatives of a scalar with respect to the results of a formula), recorded so that they can
 * be differentiated again.
 *
 * A weight of zero adds nothing to a gradient, even if the derivative by which it is multiplied is infinite or NaN. But the weight may have
 * a partial that is not zero, which contributes to the partial of the product.
 */
namespace neml2::recorded
{
/// The condition that all of x are zero; -1 if x is empty.
inline int32_t
all_zero(Recording & r, const std::vector<int32_t> & x)
{
  int32_t all = -1;
  for (const int32_t i : x)
  {
    const int32_t is_zero = r.record(Op::equal, i, r.constant(0));
    all = all < 0 ? is_zero : r.record(Op::and_, all, is_zero);
  }
  return all;
}

/// a, or 0 where the condition `nothing` is true, that is, where all weights on which a depends linearly are zero. The partial of the
/// result is always the partial of a.
inline int32_t
unless_ruled(Recording & r, int32_t nothing, int32_t a)
{
  const size_t first = r.nodes().size();
  const int32_t chosen = r.record(Op::where, nothing, r.constant(0), a);
  Rule rule{{nothing, a}, {chosen}, {}};
  rule.apply = [](const std::vector<int32_t> & x) {
    return std::vector<int32_t>{unless_ruled(Recording::now(), x[0], x[2]), x[3]};
  };
  r.set_rule(std::move(rule), first);
  return chosen;
}

/// x, or 0 where all weights are 0. x must be linear in the weights.
inline std::vector<int32_t>
unless_zero(Recording & r, const std::vector<int32_t> & weights, std::vector<int32_t> x)
{
  const int32_t nothing = all_zero(r, weights);
  for (int32_t & y : x)
    y = unless_ruled(r, nothing, y);
  return x;
}

/// weight · factor or weight / factor; 0 if the weight is 0.
inline int32_t
weighted(Recording & r, Op op, int32_t weight, int32_t factor, bool may_be_infinite)
{
  const int32_t product = r.record(op, weight, factor), zero = r.constant(0);
  return may_be_infinite ? r.record(Op::where, r.record(Op::equal, weight, zero), zero, product)
                         : product;
}

inline int32_t product_of_weights(Recording & r, int32_t v, int32_t w);

/// weight · factor or weight / factor, with a rule by which it is differentiated again. For a product w f the
/// partial is dw f + w df. Here the first term counts even where w = 0; the second is 0 there.
inline int32_t
weighted_ruled(Recording & r, Op op, int32_t weight, int32_t factor, bool may_be_infinite)
{
  const size_t first = r.nodes().size();
  const int32_t result = weighted(r, op, weight, factor, may_be_infinite);
  Rule rule{{weight, factor}, {result}, {}};
  rule.apply = [op, may_be_infinite](const std::vector<int32_t> & x)
  {
    Recording & now = Recording::now();
    const int32_t w = x[0], dw = x[1], f = x[2], df = x[3];
    const int32_t value = weighted_ruled(now, op, w, f, may_be_infinite);
    int32_t d = now.is_constant(dw, 0) ? dw : now.record(op, dw, f);
    if (!now.is_constant(df, 0))
    { // d(w f) = dw f + w df, d(w / f) = dw / f - w (df / f / f)
      const bool is_product = op == Op::multiply;
      const int32_t by_f = is_product ? df : now.record(op, now.record(op, df, f), f);
      const int32_t of_f = weighted_ruled(now, Op::multiply, w, by_f, true);
      d = now.record(is_product ? Op::add : Op::subtract, d, of_f);
    }
    return std::vector<int32_t>{value, d};
  };
  if (op == Op::multiply)
  {
    rule.linear_from = 1;
    rule.linear = [](const std::vector<int32_t> & x) {
      return std::vector<int32_t>{weighted_ruled(Recording::now(), Op::multiply, x[0], x[1], true)};
    };
    rule.transposed = [](const std::vector<int32_t> & x, const std::vector<int32_t> & weights)
    { return std::vector<int32_t>{product_of_weights(Recording::now(), x[0], weights[0])}; };
  }
  r.set_rule(std::move(rule), first);
  return result;
}

/// v w; 0 if v or w is 0.
inline int32_t
product_of_weights(Recording & r, int32_t v, int32_t w)
{
  const size_t first = r.nodes().size();
  const int32_t zero = r.constant(0);
  const int32_t nothing =
      r.record(Op::or_, r.record(Op::equal, v, zero), r.record(Op::equal, w, zero));
  const int32_t result = r.record(Op::where, nothing, zero, r.record(Op::multiply, v, w));
  Rule rule{{v, w}, {result}, {}};
  rule.apply = [](const std::vector<int32_t> & x)
  {
    Recording & now = Recording::now();
    int32_t d = now.constant(0);
    if (!now.is_constant(x[1], 0))
      d = weighted_ruled(now, Op::multiply, x[2], x[1], true);
    if (!now.is_constant(x[3], 0))
    {
      const int32_t of_w = weighted_ruled(now, Op::multiply, x[0], x[3], true);
      d = now.is_constant(d, 0) ? of_w : now.record(Op::add, d, of_w);
    }
    return std::vector<int32_t>{product_of_weights(now, x[0], x[2]), d};
  };
  r.set_rule(std::move(rule), first);
  return result;
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

/// Applies a symmetric map of a rule to weights. The map takes the operands that begin at index k to the outputs. The result is 0 if all
/// weights are 0.
/// When the result is differentiated again, weights of 0 contribute their partials, but add nothing to the derivatives with respect to the
/// other operands.
inline std::vector<int32_t>
images_of_weights(Recording & r,
                  const std::shared_ptr<const Rule> & rule,
                  const std::vector<int32_t> & fixed,
                  size_t k,
                  const std::vector<int32_t> & weights)
{
  const size_t first = r.nodes().size(), n = weights.size();
  const int32_t zero = r.constant(0), nothing = all_zero(r, weights);
  Rule again;
  again.operands = fixed;
  again.operands.insert(again.operands.end(), weights.begin(), weights.end());
  for (const int32_t i : rule->linear(with_operands(r, *rule, fixed, k, weights)))
    again.outputs.push_back(r.record(Op::where, nothing, zero, i));
  again.apply = [rule, k, n](const std::vector<int32_t> & x)
  {
    Recording & now = Recording::now();
    const int32_t none = now.constant(0);
    std::vector<int32_t> s, w, along, with_partials;
    bool s_varies = false, w_varies = false;
    for (size_t i = 0; 2 * i < x.size(); i++)
      if (2 * (i + n) < x.size())
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
    const std::vector<int32_t> values = images_of_weights(now, rule, s, k, w),
                               all = with_operands(now, *rule, s, k, w);
    for (size_t i = s.size(); i < all.size(); i++)
      with_partials.insert(with_partials.end(), {all[i], none});
    std::vector<int32_t> by_s, by_w, results;
    if (s_varies)
      by_s = rule->apply(with_partials);
    if (w_varies)
      by_w = rule->linear(with_operands(now, *rule, s, k, along));
    const int32_t is_zero = all_zero(now, w);
    for (size_t i = 0; i < n; i++)
    {
      int32_t d = w_varies ? by_w[i] : none;
      if (s_varies)
      {
        const int32_t part = now.record(Op::where, is_zero, none, by_s[2 * i + 1]);
        d = w_varies ? now.record(Op::add, d, part) : part;
      }
      results.insert(results.end(), {values[i], d});
    }
    return results;
  };
  const std::vector<int32_t> outputs = again.outputs;
  r.set_rule(std::move(again), first);
  return outputs;
}
} // namespace neml2::recorded
