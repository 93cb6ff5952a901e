// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/newton.h"

#include "neml2/recorded/Replay.h"
#include "neml2/recorded/linear.h"

#include <algorithm>

namespace neml2::recorded
{
NEML2_BODY
SolvedEquations::SolvedEquations(std::vector<int32_t> guess_nodes,
                                 std::vector<int32_t> solution_nodes,
                                 std::vector<int32_t> residual_nodes,
                                 size_t first)
  : guess(std::move(guess_nodes)),
    solution(std::move(solution_nodes)),
    residual(std::move(residual_nodes))
{
  Recording & r = Recording::now();
  const Replay replay(r);
  std::vector<bool> is_known(r.nodes().size());
  for (const int32_t i : solution)
    is_known[size_t(i)] = true;
  std::vector<int32_t> open = residual;
  open.insert(open.end(), guess.begin(), guess.end());
  while (!open.empty())
  {
    const int32_t i = open.back();
    open.pop_back();
    if (is_known[size_t(i)] || r.is_constant(i))
      continue;
    is_known[size_t(i)] = true;
    if (size_t(i) < first || r.node(i).op == Op::input)
      operands.push_back(i);
    else
      replay.each_operand(i, [&](int32_t k) { open.push_back(k); });
  }
  std::sort(operands.begin(), operands.end());
}

NEML2_BODY std::vector<Number>
SolvedEquations::guess_for(const std::vector<Number> & values) const
{
  Replay replay(Recording::now());
  for (size_t k = 0; k < operands.size(); k++)
    replay.set(operands[k], Number(values[k].x));
  return replay.of(guess);
}

NEML2_BODY std::vector<Number>
SolvedEquations::residual_at(const std::vector<Number> & u,
                             const std::vector<Number> & values) const
{
  Replay replay(Recording::now());
  for (size_t k = 0; k < operands.size(); k++)
    replay.set(operands[k], values[k]);
  for (size_t i = 0; i < solution.size(); i++)
    replay.set(solution[i], u[i]);
  return replay.of(residual);
}

NEML2_BODY void
set_rule_of_newton(
    const SolvedEquations & equations,
    const RecordedNewton & solved,
    size_t first,
    const std::function<RecordedNewton(const Residual &, const std::vector<Number> &)> & solve)
{
  Rule rule;
  rule.operands = equations.operands;
  rule.outputs = equations.solution;
  rule.outputs.push_back(solved.iterations.id);
  rule.outputs.push_back(solved.converged.id);
  rule.apply = [equations, solve](const std::vector<int32_t> & given)
  {
    std::vector<Number> values;
    for (size_t k = 0; k < given.size(); k += 2)
    {
      values.emplace_back(Symbol::of(given[k]));
      values.back().d[0].id = given[k + 1];
    }
    const RecordedNewton again =
        solve([&](const std::vector<Number> & u) { return equations.residual_at(u, values); },
              equations.guess_for(values));
    const int32_t zero = Recording::now().constant(0);
    std::vector<int32_t> results;
    for (const Number & u : again.solution)
      results.insert(results.end(), {u.x.id, u.d[0].id});
    results.insert(results.end(), {again.iterations.id, zero, again.converged.id, zero});
    return results;
  };
  Recording::now().set_rule(std::move(rule), first);
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
