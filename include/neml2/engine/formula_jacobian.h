// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/formula.h"
#include "neml2/packs/jacobian_tile.h"

#include <algorithm>

/// Values and Jacobians of formulas of the caller.
namespace neml2
{
// The types of Jacobians by name; their own headers complete them.
class Vec;
class R2;
class SR2;
class SSR4;
class R3;

namespace engine
{
/// The type of base shape S...: Tensor if no type is the obvious one.
template <Size... S>
struct type_of_base_shape
{
  using type = neml2::Tensor;
};
template <>
struct type_of_base_shape<>
{
  using type = Scalar;
};
template <>
struct type_of_base_shape<3>
{
  using type = Vec;
};
template <>
struct type_of_base_shape<6>
{
  using type = SR2;
};
template <>
struct type_of_base_shape<3, 3>
{
  using type = R2;
};
template <>
struct type_of_base_shape<6, 6>
{
  using type = SSR4;
};
template <>
struct type_of_base_shape<3, 3, 3>
{
  using type = R3;
};

template <Size... A, Size... B>
typename type_of_base_shape<A..., B...>::type joined_type(std::integer_sequence<Size, A...>,
                                                          std::integer_sequence<Size, B...>);

/// The derivative of a Y by an X, whose base shape is that of Y, then that of X.
template <class Y, class X>
using jacobian_t =
    decltype(joined_type(typename Y::base_sizes_sequence(), typename X::base_sizes_sequence()));

template <class T>
struct tuple_of;
template <class... T>
struct tuple_of<Types<T...>>
{
  using type = std::tuple<T...>;
};

template <class Y, class X>
constexpr auto
join_base_shapes()
{
  std::array<Size, Y::base_shape.size() + X::base_shape.size()> s{};
  for (size_t i = 0; i < s.size(); i++)
    s[i] = i < Y::base_shape.size() ? Y::base_shape[i] : X::base_shape[i - Y::base_shape.size()];
  return s;
}
template <class Y, class X>
constexpr auto jacobian_base_shape = join_base_shapes<Y, X>();

/// ∂y/∂x of a batch of results, by one backward pass for each component of y. (...; y) by (...; x) ->
/// (...; y, x)
at::Tensor
composed_jacobian(const at::Tensor & y, Size batch_dim, const at::Tensor & x, bool create_graph);

/// The Jacobians by an X of some of the results.
template <class X, class Results, size_t... Of>
auto
jacobian_types(std::index_sequence<Of...>)
{
  return Types<jacobian_t<std::tuple_element_t<Of, Results>, X>...>();
}

/// The base shapes of all results, then of the Jacobians.
template <class X, class... R, size_t... Of>
std::array<TensorShapeRef, sizeof...(R) + sizeof...(Of)>
value_and_jacobian_bases(Types<R...>, std::index_sequence<Of...>)
{
  return {TensorShapeRef(R::base_shape)...,
          TensorShapeRef(jacobian_base_shape<std::tuple_element_t<Of, std::tuple<R...>>, X>)...};
}

template <class... J, size_t... I>
auto
as_jacobians(Types<J...>, const at::Tensor * t, Size batch_dim, std::index_sequence<I...>)
{
  return std::tuple<J...>(J(t[I], batch_dim)...);
}

/// Argument I of the formula on whole batches, where the variable takes the place of argument V.
template <size_t I, size_t V, class X, class A>
auto
argument_or_variable(const A & a, const X & variable)
{
  if constexpr (I == V)
    return variable;
  else if constexpr (std::is_arithmetic_v<A>)
    return a;
  else
    return A(saveable(a));
}

/// The formula on whole batches, and its results Of differentiated by autograd.
template <size_t V, class F, class... A, size_t... I, size_t... Of>
void
compose_jacobian(const F & f,
                 ArrayRef<Operand> o,
                 TensorShapeRef batch,
                 at::Tensor * results,
                 std::index_sequence<I...>,
                 std::index_sequence<Of...>,
                 const A &... a)
{
  constexpr size_t count = Formula<F, A...>::count;
  using X = std::tuple_element_t<V, std::tuple<A...>>;
  const bool create_graph =
      c10::GradMode::is_enabled() &&
      std::any_of(o.begin(),
                  o.end(),
                  [](const Operand & x) { return x.tensor && x.tensor->requires_grad(); });
  const c10::InferenceMode normal(false); // in it nothing is recorded
  const at::AutoGradMode record(true);
  // Every row its own variable, also where the argument is broadcast.
  const at::Tensor rows = saveable(*o[V].tensor).expand(utils::add_shapes(batch, X::base_shape));
  const X x(create_graph && rows.requires_grad() ? rows.view_as(rows)
                                                 : rows.detach().set_requires_grad(true));
  compose(f, batch, x, results, argument_or_variable<I, V>(a, x)...); // what f throws passes
  call_translated(
      "value_and_jacobian",
      [&]
      {
        size_t k = count;
        ((results[k++] = composed_jacobian(results[Of], Size(batch.size()), x, create_graph)), ...);
        if (!create_graph)
          for (size_t i = 0; i < count; i++)
            results[i] = results[i].detach();
      },
      o);
}

/// What a formula returns, and a tuple of the Jacobians of its results Of by argument V.
template <size_t V, size_t... Of, class F, class... A>
auto
differentiate_formula(std::index_sequence<Of...> of, const F & f, const A &... a)
{
  using Call = Formula<F, A...>;
  using Results = typename Call::Results;
  using X = std::tuple_element_t<V, std::tuple<A...>>;
  using Tile = JacobianTile<F, int(V), Results, Types<A...>, std::index_sequence<Of...>>;
  using Jacobians = decltype(jacobian_types<X, typename tuple_of<Results>::type>(of));
  constexpr size_t count = Call::count;
  static_assert(sizeof...(A) + count + sizeof...(Of) <= size_t(max_operands),
                "value_and_jacobian: too many arguments and results");
  const Operation op("value_and_jacobian", Accepts::any);
  const Operand o[] = {operand(a)...};
  check_operands(op, o);
  for (const auto & x : o)
    NEML2_CHECK(!x.tensor || !x.tensor->_fw_grad(0).defined(),
                op.name,
                ": the argument ",
                x,
                " carries a tangent of forward mode, which would be lost. Use its primal.");
  const TensorShape batch = broadcast_batch(op, o);
  std::array<at::Tensor, count + sizeof...(Of)> t;
  const auto bases = value_and_jacobian_bases<X>(Results(), of);
  const auto composed = [&](at::Tensor * r)
  { compose_jacobian<V>(f, o, batch, r, std::index_sequence_for<A...>(), of, a...); };
  evaluate({op, o, batch, row_formula<Tile>(f), bases, composed, no_gradient}, t.data());
  return std::pair(as_results<typename Call::Result, Results>(t.data()),
                   as_jacobians(Jacobians(),
                                t.data() + count,
                                Size(batch.size()),
                                std::make_index_sequence<sizeof...(Of)>()));
}
} // namespace engine
} // namespace neml2

#ifndef NEML2_COMPILED // else the library has the bodies
#include "neml2/engine/formula_jacobian-inl.h"
#endif
