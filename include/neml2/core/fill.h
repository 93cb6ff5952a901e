// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/PrimitiveTensor.h"

#include <tuple>

/// Makes tensors from their components.
namespace neml2
{
namespace core
{
/// A Result from its components in storage order, each a batch of scalars; batches broadcast.
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

/// Checks components that come from the caller, then stacks them.
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

/// Reads one argument: a number is appended to the values, and any other argument is the options.
template <class V>
void
read_component(std::vector<CScalar> & values, TensorOptions & options, const V & v)
{
  if constexpr (is_number<V>)
    values.push_back(number(v));
  else
    options = TensorOptions(v);
}

/// The options for a number that is combined with a tensor: the device of the tensor, and the dtype of the tensor if it can
/// hold the number, otherwise float64.
inline TensorOptions
options_beside(const at::Tensor & like, const CScalar & x)
{
  const bool fits = like.is_floating_point() || like.is_complex() || x.isIntegral(true);
  return like.options().dtype(fits ? like.scalar_type() : kFloat64);
}

/// Makes a Scalar from a value of a formula that computes with whole batches. A number gets the options of options_beside.
template <class V>
dependent_scalar_t<V>
scalar_like(const V & v, const at::Tensor & like)
{
  if constexpr (is_number<V>)
  {
    const CScalar x = number(v);
    return dependent_scalar_t<V>(x, options_beside(like, x));
  }
  else
  {
    static_assert(std::is_same_v<V, dependent_scalar_t<V>>,
                  "fill takes scalars of the formula and numbers");
    return v;
  }
}

/// Calls batch(values as Scalars) if `like` is a batch, and row(values as numbers) if it is a row (one tensor of a batch).
/// `like` is a value of the formula.
template <class Batch, class Row, class Like, class... V>
auto
fill_like(const Batch & batch, const Row & row, const Like & like, const V &... v)
{
  if constexpr (is_tensor<Like>)
  {
    check_defined("fill", like);
    return batch(scalar_like(v, like)...);
  }
  else
  {
    static_assert(((is_number<V> || std::is_base_of_v<kernels::Component<V>, V>)&&...),
                  "fill takes scalars of the formula and numbers");
    using Plain =
        typename kernels::innermost_number<typename kernels::number_of_row<Like>::type>::type;
    using T = std::decay_t<decltype((std::declval<Plain>() + ... + std::declval<V>()))>;
    return row(T(v)...);
  }
}

/// The first value that is not a number.
template <class First, class... V>
const auto &
first_of_formula(const First & first, const V &... v)
{
  if constexpr (is_number<First>)
    return first_of_formula(v...);
  else
    return first;
}

template <class Batch, class Row, class Tuple, size_t... I>
auto
fill_like_last(const Batch & batch, const Row & row, const Tuple & v, std::index_sequence<I...>)
{
  static_assert(
      (is_number<std::decay_t<std::tuple_element_t<I, Tuple>>> && ...),
      "fill: if all values are numbers, a tensor of the formula must be the last argument");
  return fill_like(batch, row, std::get<sizeof...(I)>(v), std::get<I>(v)...);
}

/// Calls batch(Scalars...) or row(numbers...). The number of values must be one of `counts`; a tensor of the formula may
/// follow them.
template <Size... counts, class Batch, class Row, class... V>
auto
fill_in_formula(const Batch & batch, const Row & row, const V &... v)
{
  constexpr Size n = sizeof...(V);
  constexpr bool values = ((n == counts) || ...), like = ((n == counts + 1) || ...);
  static_assert(values || like, "fill: there are too few values, or too many");
  if constexpr (values)
    return fill_like(batch, row, first_of_formula(v...), v...);
  else if constexpr (like)
    return fill_like_last(batch, row, std::tie(v...), std::make_index_sequence<n - 1>());
}
} // namespace core

template <class Derived, Size... S>
template <class... V, core::if_in_formula<V...>>
auto
PrimitiveTensor<Derived, S...>::fill(const V &... v)
{
  return core::fill_in_formula<const_base_numel>(
      [](const auto &... s)
      { return core::stack<Derived>(core::Operation("fill", core::Accepts::any), {s...}); },
      [](const auto &... x) { return kernels::row_of_components<Derived::template Row>(x...); },
      v...);
}

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
