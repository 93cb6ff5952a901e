// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/autograd.h"

#include <algorithm>

/// A formula and its exact Jacobian in one pass; Jacobians of what autograd has recorded are in jacrev.h.
namespace neml2
{
// The types of Jacobians by name; their own headers complete them.
class Vec;
class R2;
class SR2;
class SSR4;
class R3;

namespace core
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

/// Values and Jacobians of a formula: operands are the arguments, the values, then the Jacobians by
/// argument V.
template <class F, int V, class Results, class Arguments>
struct JacobianTile;
template <class F, int V, class... R, class... A>
struct JacobianTile<F, V, Types<R...>, Types<A...>>
{
  using Call = DualCall<F, V, Types<A...>>;
  static constexpr int n = Call::n;
  static constexpr int numbers =
      (component_count<A> + ... + ((component_count<R> * (1 + n)) + ... + 0));
  static constexpr int baseline_width = 1; // rarely used: one plain row at a time compiles faster

  template <class P>
  NEML2_INLINE static void
  run(const void * formula, double * const * data, const Size * stride, Size rows)
  {
    run<P>(*static_cast<const F *>(formula),
           data,
           stride,
           rows,
           std::index_sequence_for<A...>(),
           std::index_sequence_for<R...>());
  }

private:
  static constexpr int K = sizeof...(A), M = sizeof...(R), all = K + 2 * M;

  template <int Count, class P>
  struct Block
  {
    P value[Count], jacobian[Count * n];
  };

  template <size_t J, class B>
  struct BlockSlot : B
  {
  };
  template <class Indices, class P>
  struct Blocks;
  template <size_t... J, class P>
  struct Blocks<std::index_sequence<J...>, P> : BlockSlot<J, Block<component_count<R>, P>>...
  {
  };
  template <size_t J, class B>
  NEML2_INLINE static B & block_of(BlockSlot<J, B> & slot)
  {
    return slot;
  }

  template <class P, size_t... I, size_t... J>
  NEML2_INLINE static void run(const F & f,
                               double * const * data,
                               const Size * stride,
                               Size rows,
                               std::index_sequence<I...> each_argument,
                               std::index_sequence<J...>)
  {
    double * p[all];
    for (int k = 0; k < all; k++)
      p[k] = data[k];
    for (Size left = rows; left > 0; left -= P::width)
    {
      typename Call::template Rows<P> row;
      Call::template load<P>(row, stride, p, left, each_argument);
      Blocks<std::index_sequence_for<R...>, P> block;
      for (int first = 0; first < n; first += Call::chunk)
      {
        const auto r = Call::template call<P>(f, row, first, each_argument);
        (keep(block_of<J>(block), components(result_of<J>(r)), first), ...);
      }
      (store<component_count<R>>(block_of<J>(block).value, stride[K + int(J)], p[K + int(J)], left),
       ...);
      (store<component_count<R> * n>(
           block_of<J>(block).jacobian, stride[K + M + int(J)], p[K + M + int(J)], left),
       ...);
      for (int k = 0; k < all; k++)
        p[k] += stride[k] * P::width;
    }
  }

  template <int Count, class P, class T>
  NEML2_INLINE static void keep(Block<Count, P> & block, const T * r, int first)
  {
    NEML2_UNROLL
    for (int o = 0; o < Count; o++)
    {
      block.value[o] = kernels::value(r[o]);
      NEML2_UNROLL
      for (int j = 0; j < Call::chunk; j++)
        block.jacobian[o * n + first + j] = kernels::derivative(r[o], j);
    }
  }
};

/// ∂y/∂x of a batch of results, by one backward pass for each component of y. (...; y) by (...; x) ->
/// (...; y, x)
inline at::Tensor
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

template <class X, class... R>
auto
jacobian_types(Types<R...>)
{
  return Types<jacobian_t<R, X>...>();
}

template <class X, class... R>
std::array<TensorShapeRef, 2 * sizeof...(R)>
value_and_jacobian_bases(Types<R...>)
{
  return {TensorShapeRef(R::base_shape)..., TensorShapeRef(jacobian_base_shape<R, X>)...};
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

/// The formula on whole batches, differentiated by autograd.
template <size_t V, class F, class... A, size_t... I>
void
compose_jacobian(const F & f,
                 ArrayRef<Operand> o,
                 TensorShapeRef batch,
                 at::Tensor * results,
                 std::index_sequence<I...>,
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
        for (size_t i = 0; i < count; i++)
          results[count + i] = composed_jacobian(results[i], Size(batch.size()), x, create_graph);
        if (!create_graph)
          for (size_t i = 0; i < count; i++)
            results[i] = results[i].detach();
      },
      o);
}

template <size_t V, class F, class... A>
auto
differentiate_formula(const F & f, const A &... a)
{
  using Call = Formula<F, A...>;
  using Results = typename Call::Results;
  using X = std::tuple_element_t<V, std::tuple<A...>>;
  using Tile = JacobianTile<F, int(V), Results, Types<A...>>;
  using Jacobians = decltype(jacobian_types<X>(Results()));
  constexpr size_t count = Call::count;
  static_assert(sizeof...(A) + 2 * count <= size_t(max_operands),
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
  std::array<at::Tensor, 2 * count> t;
  const bool done =
      choose_path(o) == Path::fused &&
      evaluate_rows(
          op, row_formula<Tile>(f), o, batch, value_and_jacobian_bases<X>(Results()), t.data());
  if (!done)
    compose_jacobian<V>(f, o, batch, t.data(), std::index_sequence_for<A...>(), a...);
  auto jacobians = as_jacobians(
      Jacobians(), t.data() + count, Size(batch.size()), std::make_index_sequence<count>());
  auto values = as_results<typename Call::Result, Results>(t.data());
  if constexpr (is_tuple<typename Call::Result>)
    return std::pair(std::move(values), std::move(jacobians));
  else
    return std::pair(std::move(values), std::get<0>(std::move(jacobians)));
}
} // namespace core

/**
 * The formula f over the batch, and its exact Jacobian by argument I, in one pass: a pair of value and
 * ∂value/∂argument, or of tuples of them where f returns a std::tuple.
 *
 * (...; y), by an argument (...; x) -> (...; y) and (...; y, x): an SR2 by an SR2 is an SSR4 (the
 * consistent tangent of a stress update), a Scalar by an X is of X's shape, a Y by a Scalar of Y's, an
 * R2 by a Vec is an R3; a neml2::Tensor where no type has the shape. Arguments, formula and errors are
 * those of vmap; the header of the Jacobian's type must be included. Where autograd has to record an
 * argument, value and Jacobian are differentiable, and computed on whole batches: use a NoGradGuard if
 * only the numbers are wanted.
 *
 *     const auto [stress, tangent] = value_and_jacobian<0>(update, strain, E, nu);
 */
template <size_t I, class F, class... A>
auto
value_and_jacobian(const F & f, const A &... a)
{
  static_assert(I < sizeof...(A), "value_and_jacobian<I>: there is no argument I");
  if constexpr (I < sizeof...(A))
  {
    constexpr bool is_tensor = core::is_primitive<std::tuple_element_t<I, std::tuple<A...>>>;
    static_assert(is_tensor,
                  "value_and_jacobian<I>: argument I must be a tensor; make a number a Scalar");
    if constexpr (is_tensor && core::is_formula<F, A...>)
      return core::differentiate_formula<I>(f, core::formula_argument(a)...);
  }
}
} // namespace neml2
