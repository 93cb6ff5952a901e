// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/PrimitiveTensor.h"

/// Tensors from their components.
namespace neml2
{
namespace core
{
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

/// stack of components that come from outside: checked first.
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

/// The options among arguments that are numbers otherwise.
template <class V>
void
read_component(std::vector<CScalar> & values, TensorOptions & options, const V & v)
{
  if constexpr (is_number<V>)
    values.push_back(number(v));
  else
    options = TensorOptions(v);
}
} // namespace core

template <class Derived, Size... S>
template <class... V, typename core::Components<std::integer_sequence<Size, S...>, V...>::type>
Derived
PrimitiveTensor<Derived, S...>::fill(const V &... v)
{
  if constexpr ((std::is_same_v<V, Scalar> && ...))
    return core::stack<Derived>(core::Operation("fill", core::Accepts::any), {v...});
  else
  {
    std::vector<CScalar> values;
    TensorOptions options = default_tensor_options();
    (core::read_component(values, options, v), ...);
    return Derived(TensorDataContainer(values).to_tensor(options, base()));
  }
}
} // namespace neml2
