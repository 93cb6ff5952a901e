// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/operators.h"
#include "neml2/kernels/Scalar.h"

/// Coarse ATen calls that the batch bodies of leaves are made of. Result is the type to return; it
/// is a template parameter because Scalar is complete only above this room.
namespace neml2::core
{
/// The tensor as LibTorch's own operators take it: all dimensions alike, no fused loop.
inline const at::Tensor &
raw(const at::Tensor & t)
{
  return t;
}

/// t with size-1 dimensions on the left until it has n.
inline at::Tensor
prepend_dims(const at::Tensor & t, Size n)
{
  at::Tensor r = t;
  while (r.dim() < n)
    r = r.unsqueeze(0);
  return r;
}

/// The components of a Result from one batch of scalars each, in storage order; batches broadcast.
template <class Result, class Component>
Result
stack(std::initializer_list<Component> components)
{
  TensorShape batch;
  for (const auto & c : components)
    broadcast_into(batch, c.sizes());
  std::vector<at::Tensor> expanded;
  expanded.reserve(components.size());
  for (const auto & c : components)
    expanded.push_back(c.expand(batch));
  return Result(at::stack(expanded, -1).reshape(utils::add_shapes(batch, Result::base_shape)));
}

/// The same for components that come from outside: checked first.
template <class Result, class Component>
Result
stack(const Operation & op, std::initializer_list<Component> components)
{
  SmallVector<Operand, 9> o;
  for (const auto & c : components)
    o.push_back(operand(c));
  check_operands(op, o);
  broadcast_batch(op, o);
  return stack<Result>(components);
}

/// Σ_i a_i b_i over the last dimension, in the dtype of a.
template <class Result>
Result
dot(const at::Tensor & a, const at::Tensor & b)
{
  return Result((a * b).sum(-1, /*keepdim=*/false, a.scalar_type()));
}

/// √(Σ t_i t_i + epsilon) over all base components. The gradient at t = 0 is 0 where epsilon is 0.
template <class Result, class T>
Result
norm(const T & t, double epsilon)
{
  return evaluate_leaf<Result>(
      "norm",
      [epsilon](const auto & a)
      {
        using kernels::sqrt;
        return sqrt(norm_sq(a) + epsilon);
      },
      [epsilon](const T & a)
      {
        if (epsilon != 0)
          return Result(at::sqrt(raw(norm_sq(a)) + epsilon));
        const at::Tensor flat = a.flatten(a.batch_dim());
        return Result(at::linalg_vector_norm(flat, 2, at::IntArrayRef(-1)));
      },
      t);
}
} // namespace neml2::core
