// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/formula_jacobian.h"
#include "neml2/kernels/gradient.h"
#include "neml2/math/autograd.h"

/// A formula and its exact Jacobian in one pass; Jacobians of computations that autograd has recorded are in jacrev.h.
namespace neml2
{
using kernels::value_and_jacobian; // in a formula

namespace math
{
/// The elements of a formula's result: the result itself, unless it is a group.
template <class R, class = void>
struct results_of
{
  using types = std::tuple<R>;
};
template <class R>
struct results_of<R, std::enable_if_t<engine::is_group<R>>> : engine::Fields<R>
{
};
template <size_t J, class R>
using result_t = std::tuple_element_t<J, typename results_of<R>::types>;
template <class R>
constexpr size_t result_count = std::tuple_size_v<typename results_of<R>::types>;

/// The results Of, whose Jacobians are wanted; all results if Of is empty.
template <class R, size_t... Of>
struct Results
{
  using type = std::tuple<result_t<Of, R>...>;
};
template <class R>
struct Results<R>
{
  using type = R;
};
template <class R, size_t Of>
struct Results<R, Of>
{
  using type = result_t<Of, R>;
};

/// The positions, among all leaves, of the leaves that belong to the elements Of of a group with the elements R. A leaf is a tensor or
/// number that a group contains, directly or in a group inside it.
template <size_t... Of, class... R>
constexpr auto
leaves_of(const std::tuple<R...> *)
{
  constexpr auto first = engine::first_leaves<R...>();
  constexpr std::array<size_t, sizeof...(R)> count{engine::Group<R>::count...};
  std::array<size_t, (size_t(0) + ... + count[Of])> leaves{};
  size_t k = 0;
  for (const size_t j : {Of...})
    for (size_t i = 0; i < count[j]; i++)
      leaves[k++] = first[j] + i;
  return leaves;
}
/// The leaves of the results Of, or all leaves if Of is empty.
template <class R, size_t... Of, size_t... K>
auto
leaf_sequence(std::index_sequence<K...> all)
{
  if constexpr (sizeof...(Of) == 0)
    return all;
  else
  {
    constexpr typename results_of<R>::types * each = nullptr;
    constexpr auto leaves = leaves_of<Of...>(each);
    return std::index_sequence<leaves[K]...>();
  }
}

template <size_t First, size_t... K>
std::index_sequence<(First + K)...> shifted(std::index_sequence<K...>);

/// Whether all leaves are tensors with respect to which one can differentiate.
template <class Leaves>
constexpr bool are_tensors = false;
template <class... L>
constexpr bool are_tensors<std::tuple<L...>> = (core::is_primitive<std::decay_t<L>> && ...);

/// The derivative with respect to argument I of the results Of (all results if Of is empty) of a formula that may take and return
/// groups.
template <size_t I, class F, class Of, class... A>
struct Differentiated;
template <size_t I, class F, size_t... Of, class... A>
struct Differentiated<I, F, std::index_sequence<Of...>, A...>
{
  using Returned = engine::returned_t<F, A...>;
  static constexpr bool exist = ((Of < result_count<Returned>)&&...);
  static_assert(exist, "value_and_jacobian<I, Of...>: the formula has no such result");
  using Wanted = typename Results<Returned, Of...>::type;
  using X = std::tuple_element_t<I, std::tuple<A...>>;
  static constexpr size_t variables = engine::Group<X>::count;
  using By =
      decltype(shifted<engine::first_leaves<A...>()[I]>(std::make_index_sequence<variables>()));
  using Leaves = decltype(leaf_sequence<Returned, Of...>(
      std::make_index_sequence<engine::Group<Wanted>::count>()));

  template <class G, class L>
  static auto evaluate(const G & g, const L & leaves)
  {
    const auto [value, jacobians] = std::apply(
        [&](const auto &... leaf)
        { return math::differentiate_formula<By, Leaves>(g, engine::formula_argument(leaf)...); },
        leaves);
    return std::pair(engine::regrouped<Returned>(value),
                     engine::Group<Wanted>::template regroup<0>(
                         by_argument(jacobians, std::make_index_sequence<Leaves::size()>())));
  }

  /// The Jacobians of each leaf, as a group with the structure of the argument.
  template <class Jacobians, size_t... K>
  static auto by_argument(const Jacobians & j, std::index_sequence<K...>)
  {
    return std::make_tuple(engine::Group<X>::template regroup<K * variables>(j)...);
  }

  template <class Out, class G, class L>
  static void evaluate_into(const Out & out, const G & g, const L & leaves)
  {
    std::apply(
        [&](const auto &... leaf)
        {
          using All = typename math::Differentiation<
              By,
              Leaves,
              G,
              std::decay_t<decltype(engine::formula_argument(leaf))>...>::All;
          constexpr bool fits = math::is_tuple_of_references<Out, All>;
          static_assert(
              fits,
              "value_and_jacobian_out: the outputs must be std::tie(...) of the results of "
              "the formula, then of the Jacobians, each of the right type");
          if constexpr (fits)
            math::differentiate_formula_into<By, Leaves>(g, out, engine::formula_argument(leaf)...);
        },
        leaves);
  }
};

/// Calls use(derivative, formula, leaves of the arguments), if the formula can be differentiated.
template <size_t I, class Of, class Use, class F, class... A>
auto
differentiate(const Use & use, const F & f, const A &... a)
{
  static_assert(I < sizeof...(A), "value_and_jacobian<I>: there is no argument I");
  if constexpr (I < sizeof...(A))
  {
    using X = std::tuple_element_t<I, std::tuple<A...>>;
    constexpr bool is_tensor = are_tensors<decltype(engine::Group<X>::leaves(std::declval<X &>()))>;
    static_assert(is_tensor,
                  "value_and_jacobian<I>: argument I must be a tensor, or a group of them; make a "
                  "number a Scalar");
    if constexpr (is_tensor && engine::needs_groups<F, A...>())
      return use(
          Differentiated<I, F, Of, A...>(), engine::Grouped<F, A...>{f}, engine::all_leaves(a...));
    else if constexpr (is_tensor && engine::is_formula<F, A...>)
      return use(Differentiated<I, F, Of, A...>(), f, std::tie(a...));
  }
}
} // namespace math

/**
 * Evaluates the formula f over the batch, and its exact Jacobian with respect to argument I, in one pass. Returns the pair of the
 * value and ∂value/∂argument. If f returns a group, both are groups.
 *
 * For a value (...; y) and an argument (...; x) the results are (...; y) and (...; y, x). The Jacobian of an SR2 with respect to an SR2 is
 * an SSR4 (the consistent tangent of a stress update), that of an R2 with respect to a Vec is an R3, and that of an R2 with respect to an
 * R2 is an R4. If the value is a Scalar, the Jacobian has the shape of the argument; if the argument is a Scalar, it has the shape of the
 * value. The Jacobian is a neml2::Tensor if no other type has its shape. Arguments, formula and errors are those of vmap; include the
 * header of the Jacobian's type. If autograd records an argument, the value and the Jacobian are differentiable, and are computed from the
 * formula's recording: use a NoGradGuard if you need only the numbers.
 *
 *     const auto [stress, tangent] = value_and_jacobian<0>(update, strain, E, nu);
 *
 * For the derivative with respect to several arguments at once, put them into a std::tuple or a struct, and pass that as one argument. The
 * Jacobian is then a group with the same structure:
 *
 *     const auto [stress, by] = value_and_jacobian<0>(law, std::tuple(E, nu), strain); // std::get<0>(by) = ∂σ/∂E
 *
 * If f returns several results, Of may name those whose Jacobians are wanted; the others are returned without
 * Jacobians:
 *
 *     const auto [results, tangent] = value_and_jacobian<0, 0>(update, strain, state, parameters);
 *
 * Inside a formula, the same call gives the value and the Jacobian at one point, and both can be differentiated again; f must then not
 * capture variables.
 */
template <size_t I, size_t... Of, class F, class... A, kernels::if_on_batches<A...> = 0>
auto
value_and_jacobian(const F & f, const A &... a)
{
  return math::differentiate<I, std::index_sequence<Of...>>(
      [](auto differentiated, const auto & g, const auto & leaves)
      { return differentiated.evaluate(g, leaves); },
      f,
      a...);
}

/**
 * value_and_jacobian into existing tensors: the fused pass allocates no tensors. `out` is std::tie(...) of tensors
 * or groups: first the results of f, then the Jacobians.
 *
 *     value_and_jacobian_out<0, 0>(std::tie(stress, state, tangent), update, strain, old_state, parameters);
 *
 * The outputs must have the batch shape of the results, and the dtype and device of the arguments. An output may be the same tensor as an
 * argument.
 * @throws NEMLException as vmap_out does; the outputs are then unchanged.
 */
template <size_t I, size_t... Of, class... Out, class F, class... A>
void
value_and_jacobian_out(const std::tuple<Out &...> & out, const F & f, const A &... a)
{
  const auto tensors = engine::Group<std::tuple<Out &...>>::leaves(out);
  math::differentiate<I, std::index_sequence<Of...>>(
      [&](auto differentiated, const auto & g, const auto & leaves)
      { differentiated.evaluate_into(tensors, g, leaves); },
      f,
      a...);
}
} // namespace neml2
