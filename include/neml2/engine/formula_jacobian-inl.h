// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/formula_jacobian.h"
#include "neml2/engine/autograd.h"

namespace neml2::engine
{
NEML2_BODY std::vector<at::Tensor>
composed_jacobians(const at::Tensor & y,
                   Size batch_dim,
                   const std::vector<at::Tensor> & x,
                   bool create_graph)
{
  check_no_entry_of_vmap(y); // tensors that the formula captures may make y an entry of vmap
  std::vector<at::Tensor> jacobians;
  const at::Tensor components =
      y.dim() == batch_dim ? y.unsqueeze(-1) : at::Tensor(y.flatten(batch_dim));
  std::vector<std::vector<at::Tensor>> rows(x.size());
  for (Size i = 0; i < components.size(-1) && y.requires_grad(); i++)
  {
    const auto gradients = torch::autograd::grad({components.select(-1, i).sum()},
                                                 x,
                                                 {},
                                                 /*retain_graph=*/true,
                                                 create_graph,
                                                 /*allow_unused=*/true);
    for (size_t k = 0; k < x.size(); k++)
      rows[k].push_back(gradients[k].defined() ? gradients[k] : at::zeros_like(x[k]));
  }
  for (size_t k = 0; k < x.size(); k++)
  {
    const auto shape = utils::add_shapes(y.sizes(), x[k].sizes().slice(size_t(batch_dim)));
    jacobians.push_back(rows[k].empty() ? at::zeros(shape, y.options())
                                        : at::stack(rows[k], batch_dim).reshape(shape));
  }
  return jacobians;
}
} // namespace neml2::engine
