// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/newton.h"

#include "neml2/recorded/linear.h"

namespace neml2::recorded
{
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
