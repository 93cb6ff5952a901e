// SPDX-License-Identifier: MIT
#pragma once

#include "support/operation.h"
#include "support/reference.h"

#include <torch/csrc/autograd/autograd.h>

/// Rotations by unit quaternions, real part first, in plain ATen: a reference for modified Rodrigues
/// parameters.
namespace neml2::test
{
/// (1 - r·r, 2 r) / (1 + r·r). (..., 3) -> (..., 4)
inline at::Tensor
quaternion_of(const at::Tensor & r)
{
  const at::Tensor s = (r * r).sum(-1, true);
  return at::cat({1 - s, 2 * r}, -1) / (1 + s);
}

/// v / (1 + real). (..., 4) -> (..., 3)
inline at::Tensor
parameters_of_quaternion(const at::Tensor & q)
{
  return q.slice(-1, 1, 4) / (1 + q.slice(-1, 0, 1));
}

/// The rotation by q, then by p. (..., 4), (..., 4) -> (..., 4)
inline at::Tensor
quaternion_product(const at::Tensor & p, const at::Tensor & q)
{
  const at::Tensor a = p.slice(-1, 0, 1), b = q.slice(-1, 0, 1), v = p.slice(-1, 1, 4),
                   w = q.slice(-1, 1, 4);
  const at::Tensor cross = at::einsum("ijk,...j,...k->...i", {permutation(), v, w});
  return at::cat({a * b - (v * w).sum(-1, true), a * w + b * v + cross}, -1);
}

/// ∂f(x)_i/∂x_j of a formula for vectors, by autograd. It can be differentiated further if x needs a
/// gradient. (..., n) -> (..., m, n)
inline at::Tensor
jacobian(const std::function<at::Tensor(const at::Tensor &)> & f, const at::Tensor & x)
{
  const at::AutoGradMode grad(true);
  const bool again = x.requires_grad();
  const at::Tensor z = again ? x : x.detach().requires_grad_(), y = f(z);
  std::vector<at::Tensor> rows;
  for (int64_t i = 0; i < y.size(-1); i++)
    rows.push_back(torch::autograd::grad(
        {y.select(-1, i).sum()}, {z}, {}, /*retain_graph=*/true, /*create_graph=*/again)[0]);
  return at::stack(rows, -2);
}
} // namespace neml2::test
