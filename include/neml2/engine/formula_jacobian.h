// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/modes.h"
#include "neml2/engine/formula_into.h"
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
class R4;

namespace engine
{
/// The type of base shape S...: Tensor, except for the shapes specialised below.
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
template <>
struct type_of_base_shape<3, 3, 3, 3>
{
  using type = R4;
};

template <Size... A, Size... B>
typename type_of_base_shape<A..., B...>::type joined_type(std::integer_sequence<Size, A...>,
                                                          std::integer_sequence<Size, B...>);

/// The derivative of a Y by an X; its base shape is that of Y, then that of X.
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

/// Refuses a tensor that torch.func.vmap shows as one entry of a batch: its Jacobian would be 0.
inline void
check_no_entry_of_vmap(const at::Tensor & t)
{
  NEML2_CHECK(!core::is_entry_of_vmap(t),
              "Jacobian of a formula: inside of torch.func.vmap it cannot be found, as tensors there "
              "do not say that they require a gradient. Use torch.func.jacrev or jacfwd of the "
              "formula there, or value_and_jacobian of the whole batch, which goes row by row.");
}

/// ∂y/∂x of a batch of results by each x, by one backward pass for each component of y. (...; y) by (...; x) ->
/// (...; y, x)
std::vector<at::Tensor> composed_jacobians(const at::Tensor & y,
                                           Size batch_dim,
                                           const std::vector<at::Tensor> & x,
                                           bool create_graph);

/// The Jacobian of a Y by an X.
template <class Y, class X>
struct JacobianOf
{
  using type = jacobian_t<Y, X>;
  static constexpr const auto & base_shape = jacobian_base_shape<Y, X>;
};
/// The Jacobians of all Y by all X: those of the first Y, then those of the next.
template <class Y, class... X>
std::tuple<JacobianOf<Y, X>...> jacobians_of(Types<X...>);
template <class... Y, class Xs>
auto jacobians_of(Types<Y...>, Xs x) -> decltype(std::tuple_cat(jacobians_of<Y>(x)...));

/// The base shapes of all results, then of the Jacobians.
template <class... R, class... J>
std::array<TensorShapeRef, sizeof...(R) + sizeof...(J)>
value_and_jacobian_bases(Types<R...>, std::tuple<J...>)
{
  return {TensorShapeRef(R::base_shape)..., TensorShapeRef(J::base_shape)...};
}

template <class... J>
Types<typename J::type...> jacobian_types(std::tuple<J...>);

template <class... J, size_t... I>
auto
as_jacobians(Types<J...>, const at::Tensor * t, Size batch_dim, std::index_sequence<I...>)
{
  return std::tuple<J...>(J(t[I], batch_dim)...);
}

/// Makes every row of an argument a separate variable, also where the argument is broadcast.
template <class X>
at::Tensor
variable_of(const at::Tensor & a, TensorShapeRef batch, bool create_graph)
{
  return as_variable(saveable(a).expand(utils::add_shapes(batch, X::base_shape)), create_graph);
}

/// Argument I of the formula on whole batches; variables take the places of the arguments V.
template <size_t I, size_t... V, class A>
auto
argument_or_variable(const A & a,
                     const std::vector<at::Tensor> & variables,
                     std::index_sequence<V...>)
{
  if constexpr (((I == V) || ...))
    return A(variables[(size_t(0) + ... + size_t(V < I))]);
  else if constexpr (std::is_arithmetic_v<A>)
    return a;
  else
    return A(saveable(a));
}

/// The formula on whole batches, and its results Of differentiated by autograd.
template <class F, class... A, size_t... I, size_t... V, size_t... Of>
void
compose_jacobian(const F & f,
                 ArrayRef<Operand> o,
                 TensorShapeRef batch,
                 at::Tensor * results,
                 std::index_sequence<I...>,
                 std::index_sequence<V...> by,
                 std::index_sequence<Of...>,
                 const A &... a)
{
  constexpr size_t count = Formula<F, A...>::count;
  const bool create_graph =
      c10::GradMode::is_enabled() &&
      std::any_of(o.begin(),
                  o.end(),
                  [](const Operand & x) { return x.tensor && x.tensor->requires_grad(); });
  const c10::InferenceMode normal(false); // in inference mode autograd would not record
  const at::AutoGradMode record(true);
  const std::vector<at::Tensor> x{
      variable_of<std::tuple_element_t<V, std::tuple<A...>>>(*o[V].tensor, batch, create_graph)...};
  compose(f, batch, x[0], results, argument_or_variable<I>(a, x, by)...); // exceptions of f pass
  call_translated(
      "value_and_jacobian",
      [&]
      {
        at::Tensor * jacobian = results + count;
        for (const size_t i : {Of...})
          for (const auto & J : composed_jacobians(results[i], Size(batch.size()), x, create_graph))
            *jacobian++ = J;
        for (size_t i = 0; i < count; i++)
          results[i] = unshared(create_graph ? results[i] : results[i].detach(), o);
      },
      o);
}

/// Refuses tensors with a tangent of forward mode, which would be lost, and entries of a vmap of torch.
inline void
check_differentiable(const Operation & op, ArrayRef<Operand> o)
{
  for (const auto & x : o)
  {
    if (x.tensor)
      check_no_entry_of_vmap(*x.tensor);
    NEML2_CHECK(!x.tensor || !x.tensor->_fw_grad(0).defined(),
                op.name,
                ": the argument ",
                x,
                " carries a tangent of forward mode, which would be lost. Use its primal.");
  }
}

template <class F, size_t... V, class... R, class... A, size_t... Of>
struct TextOfTile<JacobianTile<F,
                               std::index_sequence<V...>,
                               Types<R...>,
                               Types<A...>,
                               std::index_sequence<Of...>>>
{
  static constexpr recorded::TileText of(const recorded::FormulaText & f)
  {
    return {recorded::TileText::Kind::jacobian,
            f,
            {row_types<R...>, int(sizeof...(R))},
            {row_types<A...>, int(sizeof...(A))},
            {places<V...>, int(sizeof...(V))},
            {places<Of...>, int(sizeof...(Of))}};
  }
};

/// The value of a formula and the Jacobians of its results Of by the arguments V, as one operation.
template <class V, class Of, class F, class... A>
struct Differentiation;
template <size_t... V, size_t... Of, class F, class... A>
struct Differentiation<std::index_sequence<V...>, std::index_sequence<Of...>, F, A...>
{
  using Call = Formula<F, A...>;
  using Results = typename Call::Results;
  using Each = typename tuple_of<Results>::type;
  using By = std::index_sequence<V...>;
  using Tile = JacobianTile<F, By, Results, Types<A...>, std::index_sequence<Of...>>;
  using Pairs = decltype(jacobians_of(Types<std::tuple_element_t<Of, Each>...>(),
                                      Types<std::tuple_element_t<V, std::tuple<A...>>...>()));
  using Jacobians = decltype(jacobian_types(std::declval<Pairs>()));
  using All = decltype(std::tuple_cat(std::declval<Each>(),
                                      std::declval<typename tuple_of<Jacobians>::type>()));
  static constexpr size_t count = Call::count, jacobians = sizeof...(Of) * sizeof...(V);
  static_assert(sizeof...(A) + count + jacobians <= size_t(max_operands),
                "value_and_jacobian: too many arguments and results");

  static auto bases() { return value_and_jacobian_bases(Results(), Pairs()); }

  static void
  compose(const F & f, ArrayRef<Operand> o, TensorShapeRef batch, at::Tensor * r, const A &... a)
  {
    compose_jacobian(
        f, o, batch, r, std::index_sequence_for<A...>(), By(), std::index_sequence<Of...>(), a...);
  }
};

/// The results of a formula, and a tuple of the Jacobians of its results Of by the arguments V: of the first result, then of the next.
template <class V, class Of, class F, class... A>
auto
differentiate_formula(const F & f, const A &... a)
{
  using D = Differentiation<V, Of, F, A...>;
  const Operation op("value_and_jacobian", Accepts::any);
  const Operand o[] = {operand(a)...};
  check_operands(op, o);
  check_differentiable(op, o);
  const TensorShape batch = broadcast_batch(op, o);
  std::array<at::Tensor, D::count + D::jacobians> t;
  const auto bases = D::bases();
  const auto composed = [&](at::Tensor * r) { D::compose(f, o, batch, r, a...); };
  evaluate({op, o, batch, row_formula<typename D::Tile>(f), bases, composed, no_gradient},
           t.data());
  return std::pair(as_results<typename D::Call::Result, typename D::Results>(t.data()),
                   as_jacobians(typename D::Jacobians(),
                                t.data() + D::count,
                                Size(batch.size()),
                                std::make_index_sequence<D::jacobians>()));
}

/// Evaluates into existing tensors: the results, then the Jacobians.
template <class V, class Of, class F, class... R, class... A>
void
differentiate_formula_into(const F & f, const std::tuple<R &...> & out, const A &... a)
{
  using D = Differentiation<V, Of, F, A...>;
  const Operation op("value_and_jacobian_out", Accepts::any);
  const Operand o[] = {operand(a)...};
  check_operands(op, o);
  check_differentiable(op, o);
  const TensorShape batch = broadcast_batch(op, o);
  evaluate_rows_into(op,
                     o,
                     batch,
                     row_formula<typename D::Tile>(f),
                     out,
                     [&](at::Tensor * r) { D::compose(f, o, batch, r, a...); });
}
} // namespace engine
} // namespace neml2

#ifndef NEML2_COMPILED // otherwise the compiled library defines these functions
#include "neml2/engine/formula_jacobian-inl.h"
#endif
