// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/jacobian.h"

#include "neml2/recorded/Replay.h"
#include "neml2/recorded/linear.h"
#include "neml2/recorded/rules.h"

namespace neml2::recorded
{
NEML2_BODY std::pair<std::vector<Number>, std::vector<Number>>
record_value_and_jacobian(const NumberFunction & f, const std::vector<Number> & x)
{
  Recording & r = Recording::now();
  std::vector<Number> variables;
  std::vector<int32_t> seeds, partials, values;
  for (size_t k = 0; k < x.size(); k++)
  {
    Number v(Symbol::input());
    v.d[0] = Symbol::input();
    r.set_partial(v.x.id, v.d[0].id);
    seeds.push_back(v.d[0].id);
    variables.push_back(v);
  }
  for (const Number & y : f(variables))
  {
    values.push_back(y.x.id);
    partials.push_back(y.d[0].id);
  }
  const LinearMap map(r, seeds, partials, /*by_rules=*/true);
  const size_t n = x.size();
  std::vector<int32_t> J(partials.size() * n);
  for (size_t j = 0; j < n; j++)
  {
    std::vector<int32_t> direction(n, -1);
    direction[j] = r.constant(1);
    const std::vector<int32_t> column = map.of(direction);
    for (size_t i = 0; i < column.size(); i++)
      J[n * i + j] = column[i];
  }
  Replay replay(r);
  for (size_t k = 0; k < n; k++)
    replay.set(variables[k].x.id, x[k]);
  std::vector<Number> J_of_x = replay.of(J);
  return {replay.of(values), std::move(J_of_x)};
}
NEML2_BODY std::vector<Number>
record_jacobian(const NumberFunction & f, const std::vector<Number> & x)
{
  return record_value_and_jacobian(f, x).second;
}
} // namespace neml2::recorded
