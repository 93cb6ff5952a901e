// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/autograd.h"
#include "neml2/math/jacrev.h"

namespace neml2
{
namespace math
{
/// One seed per base entry of y: 1 at this base entry, 0 elsewhere. All batch entries share a seed, so the memory of the seeds does not
/// grow with the batch. (n, 1..., base y)
NEML2_BODY at::Tensor
jacobian_seeds(const Tensor & y)
{
  TensorShape shape(size_t(y.batch_dim() + 1), 1);
  shape[0] = y.base_storage();
  const at::Tensor one_each = at::eye(shape[0], y.options().requires_grad(false));
  return one_each.reshape(utils::add_shapes(shape, y.base_sizes()));
}

/// ∂y/∂x for each x in xs. The arguments have been checked.
NEML2_BODY std::vector<Tensor>
jacobians_by_autograd(const Tensor & y,
                      const std::vector<Tensor> & xs,
                      bool retain_graph,
                      bool create_graph,
                      bool allow_unused)
{
  const std::vector<at::Tensor> inputs(xs.begin(), xs.end());
  std::vector<std::vector<at::Tensor>> rows(xs.size());
  const c10::AutoGradMode recorded(create_graph || c10::GradMode::is_enabled());
  const at::Tensor seeds = jacobian_seeds(y);
  const Size n = seeds.size(0);
  for (Size i = 0; i < n; i++)
  {
    const bool retain = retain_graph || create_graph || i + 1 < n;
    const auto row = torch::autograd::grad(
        {y}, inputs, {seeds[i].expand(y.sizes())}, retain, create_graph, allow_unused);
    for (size_t k = 0; k < xs.size(); k++)
      rows[k].push_back(row[k].defined() ? row[k] : at::zeros(xs[k].sizes(), xs[k].options()));
  }
  std::vector<Tensor> jacobians;
  for (size_t k = 0; k < xs.size(); k++)
  {
    const TensorShape shape =
        utils::add_shapes(y.batch_sizes(), y.base_sizes(), xs[k].base_sizes());
    const at::Tensor J = n == 0 ? at::zeros(shape, xs[k].options())
                                : at::stack(rows[k], y.batch_dim()).reshape(shape);
    jacobians.emplace_back(Trusted(), J, y.batch_dim());
  }
  return jacobians;
}
} // namespace math

NEML2_BODY std::vector<Tensor>
jacrev(const Tensor & y,
       const std::vector<Tensor> & xs,
       bool retain_graph,
       bool create_graph,
       bool allow_unused)
{
  core::check_operand("jacrev", core::operand(y));
  for (const auto & x : xs)
  {
    core::check_operand("jacrev", core::operand(x));
    NEML2_CHECK(
        x.batch_sizes() == y.batch_sizes(),
        "jacrev: batch shapes ",
        y.batch_sizes(),
        " of y and ",
        x.batch_sizes(),
        " of x differ. Expected equal ones: expand x (batch_expand) before computing y. The "
        "tensors are ",
        core::operand(y),
        " and ",
        core::operand(x),
        ".");
  }
  if (xs.empty() || !y.requires_grad())
    return std::vector<Tensor>(xs.size());
  for (const auto & x : xs)
    NEML2_CHECK(x.requires_grad(),
                "jacrev: ",
                core::operand(x),
                " does not require grad. Call x.requires_grad_() before computing y.");
  return core::translate_errors(
      "jacrev",
      [&] { return math::jacobians_by_autograd(y, xs, retain_graph, create_graph, allow_unused); });
}

NEML2_BODY Tensor
jacrev(const Tensor & y, const Tensor & x, bool retain_graph, bool create_graph, bool allow_unused)
{
  return jacrev(y, std::vector<Tensor>{x}, retain_graph, create_graph, allow_unused)[0];
}
} // namespace neml2
