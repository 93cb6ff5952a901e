// SPDX-License-Identifier: MIT
#pragma once

#include "support/operation.h"

#include <torch/csrc/autograd/autograd.h>

/// References for operations that are derivatives.
namespace neml2::test
{
/// ∂y/∂x of y = f(x) by autograd: the y_dim base dimensions of y, then the x_dim ones of x. It can be
/// differentiated further if x needs a gradient.
inline at::Tensor
jacobian(const std::function<at::Tensor(const at::Tensor &)> & f,
         const at::Tensor & x,
         int64_t y_dim,
         int64_t x_dim)
{
  const at::AutoGradMode record(true);
  const bool again = x.requires_grad();
  const at::Tensor z = again ? x : x.detach().requires_grad_(), y = f(z), rows = y.flatten(-y_dim);
  std::vector<at::Tensor> gradients;
  for (int64_t i = 0; i < rows.size(-1); i++)
    gradients.push_back(torch::autograd::grad(
        {rows.select(-1, i).sum()}, {z}, {}, /*retain_graph=*/true, /*create_graph=*/again)[0]);
  TensorShape shape(y.sizes().begin(), y.sizes().end());
  for (const auto n : x.sizes().slice(size_t(x.dim() - x_dim)))
    shape.push_back(n);
  return at::stack(gradients, -x_dim - 1).reshape(shape);
}
} // namespace neml2::test
