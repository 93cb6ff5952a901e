// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/newton.h"

#include "neml2/recorded/Replay.h"
#include "neml2/recorded/linear.h"
#include "neml2/recorded/Ruled.h"

#include <algorithm>

namespace neml2::recorded
{
/// The nodes on which some nodes depend, except `solution`. They are inputs, or were recorded before node `first`.
NEML2_BODY std::vector<int32_t>
operands_before(size_t first, std::vector<int32_t> nodes, const std::vector<int32_t> & solution)
{
  Recording & r = Recording::now();
  const Replay replay(r);
  std::vector<bool> is_known(r.nodes().size());
  for (const int32_t i : solution)
    is_known[size_t(i)] = true;
  std::vector<int32_t> operands;
  while (!nodes.empty())
  {
    const int32_t i = nodes.back();
    nodes.pop_back();
    if (is_known[size_t(i)] || r.is_constant(i))
      continue;
    is_known[size_t(i)] = true;
    if (size_t(i) < first || r.node(i).op == Op::input)
      operands.push_back(i);
    else
      replay.each_operand(i, [&](int32_t k) { nodes.push_back(k); });
  }
  std::sort(operands.begin(), operands.end());
  return operands;
}

/// The values and partials of `nodes` after `numbers` have taken the places of the nodes `replaced`.
NEML2_BODY std::vector<Number>
replayed(const std::vector<int32_t> & nodes,
         const std::vector<int32_t> & replaced,
         const std::vector<Number> & numbers)
{
  Replay replay(Recording::now());
  for (size_t k = 0; k < replaced.size(); k++)
    replay.set(replaced[k], numbers[k]);
  return replay.of(nodes);
}

NEML2_BODY void
set_rule_of_newton(const RecordedNewton & solved,
                   const std::vector<Number> & guess,
                   const std::vector<Number> & residual,
                   size_t first,
                   const SolveAgain & solve_again)
{
  const std::vector<int32_t> from = values_in(guess), r = values_in(residual),
                             x = values_in(solved.solution),
                             operands = operands_before(first, joined(r, from), x);
  const auto rule = [=](const std::vector<Number> & given)
  {
    const auto residual_at = [&](const std::vector<Number> & u)
    {
      std::vector<Number> numbers = given;
      numbers.insert(numbers.end(), u.begin(), u.end());
      return replayed(r, joined(operands, x), numbers);
    };
    const std::vector<Symbol> values = symbols_of(values_in(given)); // a guess has no partials
    const RecordedNewton again =
        solve_again(residual_at, replayed(from, operands, {values.begin(), values.end()}));
    std::vector<Number> results = again.solution;
    results.emplace_back(again.iterations);
    results.emplace_back(Symbol::of(again.converged.id));
    return results;
  };
  Ruled(first).differentiate(
      operands, joined(x, {solved.iterations.id, solved.converged.id}), rule);
}

NEML2_BODY std::pair<std::vector<Symbol>, std::vector<Symbol>>
record_residual_at(const Residual & residual, const std::vector<Symbol> & x)
{
  const size_t n = x.size();
  std::vector<Number> u;
  std::vector<int32_t> seeds, partials;
  for (const Symbol & v : x)
  {
    Number c(v);
    c.d[0] = Symbol::input();
    Recording::now().set_partial(v.id, c.d[0].id);
    seeds.push_back(c.d[0].id);
    u.push_back(c);
  }
  std::vector<Symbol> r, J(n * n);
  for (const Number & c : residual(u))
  {
    r.push_back(c.x);
    partials.push_back(c.d[0].id);
  }
  const LinearMap map(Recording::now(), seeds, partials);
  bool depends = false;
  for (size_t j = 0; j < n; j++)
  {
    std::vector<int32_t> direction(n, -1);
    direction[j] = Symbol(1.0).id;
    const std::vector<int32_t> column = map.of(direction);
    for (size_t i = 0; i < n; i++)
    {
      J[n * i + j] = Symbol::of(column[i]);
      depends = depends || !Recording::now().is_constant(column[i], 0);
    }
  }
  if (!depends)
    throw std::invalid_argument(
        "newton: the residual does not depend on the unknown, its first argument");
  return {std::move(r), std::move(J)};
}
} // namespace neml2::recorded
