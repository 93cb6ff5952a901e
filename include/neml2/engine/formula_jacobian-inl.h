// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/formula_jacobian.h"
#include "neml2/engine/autograd.h"

namespace neml2::engine
{
NEML2_BODY at::Tensor
composed_jacobian(const at::Tensor & y, Size batch_dim, const at::Tensor & x, bool create_graph)
{
  const at::Tensor components =
      y.dim() == batch_dim ? y.unsqueeze(-1) : at::Tensor(y.flatten(batch_dim));
  const auto shape = utils::add_shapes(y.sizes(), x.sizes().slice(size_t(batch_dim)));
  if (!y.requires_grad())
    return at::zeros(shape, y.options());
  std::vector<at::Tensor> rows;
  for (Size i = 0; i < components.size(-1); i++)
  {
    const at::Tensor g = torch::autograd::grad({components.select(-1, i).sum()},
                                               {x},
                                               {},
                                               /*retain_graph=*/true,
                                               create_graph,
                                               /*allow_unused=*/true)[0];
    rows.push_back(g.defined() ? g : at::zeros_like(x));
  }
  return at::stack(rows, batch_dim).reshape(shape);
}
} // namespace neml2::engine
