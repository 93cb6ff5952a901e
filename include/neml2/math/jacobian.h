// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/formula_jacobian.h"
#include "neml2/math/autograd.h"

/// A formula and its exact Jacobian in one pass; Jacobians of what autograd has recorded are in jacrev.h.
namespace neml2
{
namespace math
{
/// Result J of what a formula returns, of which there is one unless it is a tuple.
template <size_t J, class R>
struct result_element
{
  using type = R;
};
template <size_t J, class... R>
struct result_element<J, std::tuple<R...>>
{
  using type = std::decay_t<std::tuple_element_t<J, std::tuple<R...>>>;
};
template <class R>
constexpr size_t result_count = 1;
template <class... R>
constexpr size_t result_count<std::tuple<R...>> = sizeof...(R);

/// The results Of, whose Jacobians are asked for: all if none is named.
template <class R, size_t... Of>
struct Results
{
  using type = std::tuple<typename result_element<Of, R>::type...>;
};
template <class R>
struct Results<R>
{
  using type = R;
};
template <class R, size_t Of>
struct Results<R, Of>
{
  using type = typename result_element<Of, R>::type;
};

/// Where the results of a tuple begin among its leaves; and behind the last.
template <class R>
struct ResultLeaves
{
  static constexpr std::array<size_t, 2> first{0, 1};
};
template <class... R>
struct ResultLeaves<std::tuple<R...>>
{
  static constexpr auto starts()
  {
    std::array<size_t, sizeof...(R) + 1> s{};
    size_t i = 0;
    ((s[i + 1] = s[i] + engine::Group<std::decay_t<R>>::count, i++), ...);
    return s;
  }
  static constexpr auto first = starts();
};

/// The leaves of the results Of, as an array.
template <class R, size_t... Of>
constexpr auto
differentiated_leaves()
{
  constexpr auto first = ResultLeaves<R>::first;
  std::array<size_t, engine::Group<typename Results<R, Of...>::type>::count> leaves{};
  size_t k = 0;
  for (const size_t j : std::array<size_t, sizeof...(Of)>{Of...})
    for (size_t i = first[j]; i < first[j + 1]; i++)
      leaves[k++] = i;
  for (; k < leaves.size(); k++) // none is named
    leaves[k] = k;
  return leaves;
}
template <class R, size_t... Of, size_t... K>
auto
leaf_sequence(std::index_sequence<K...>)
{
  constexpr auto leaves = differentiated_leaves<R, Of...>();
  return std::index_sequence<leaves[K]...>();
}

/// What is differentiated: results Of, none named for all, by argument I, of a formula that may take and return tuples.
template <size_t I, class F, class Of, class... A>
struct Differentiated;
template <size_t I, class F, size_t... Of, class... A>
struct Differentiated<I, F, std::index_sequence<Of...>, A...>
{
  using Returned = engine::returned_t<F, A...>;
  static constexpr bool exist = ((Of < result_count<Returned>)&&...);
  static_assert(exist, "value_and_jacobian<I, Of...>: the formula has no such result");
  using Wanted = typename Results<Returned, Of...>::type;
  static constexpr size_t argument = engine::first_leaves<A...>()[I];
  using Leaves = decltype(leaf_sequence<Returned, Of...>(
      std::make_index_sequence<engine::Group<Wanted>::count>()));

  template <class G, class L>
  static auto evaluate(const G & g, const L & leaves)
  {
    const auto [value, jacobians] = std::apply(
        [&](const auto &... leaf) {
          return engine::differentiate_formula<argument, Leaves>(g,
                                                                 engine::formula_argument(leaf)...);
        },
        leaves);
    return std::pair(engine::regrouped<Returned>(value),
                     engine::Group<Wanted>::template regroup<0>(jacobians));
  }

  template <class Out, class G, class L>
  static void evaluate_into(const Out & out, const G & g, const L & leaves)
  {
    std::apply(
        [&](const auto &... leaf)
        {
          using All = typename engine::Differentiation<
              argument,
              Leaves,
              G,
              std::decay_t<decltype(engine::formula_argument(leaf))>...>::All;
          constexpr bool fits = engine::is_tuple_of_references<Out, All>;
          static_assert(
              fits,
              "value_and_jacobian_out: the outputs must be std::tie(...) of what the formula "
              "returns, one tensor after the other, and then of the Jacobians, each of its type");
          if constexpr (fits)
            engine::differentiate_formula_into<argument, Leaves>(
                g, out, engine::formula_argument(leaf)...);
        },
        leaves);
  }
};

/// use(what is differentiated, formula, leaves of the arguments), if they can be.
template <size_t I, class Of, class Use, class F, class... A>
auto
differentiate(const Use & use, const F & f, const A &... a)
{
  static_assert(I < sizeof...(A), "value_and_jacobian<I>: there is no argument I");
  if constexpr (I < sizeof...(A))
  {
    constexpr bool is_tensor = core::is_primitive<std::tuple_element_t<I, std::tuple<A...>>>;
    static_assert(is_tensor,
                  "value_and_jacobian<I>: argument I must be a tensor; make a number a Scalar");
    if constexpr (is_tensor && engine::needs_groups<F, A...>())
      return use(
          Differentiated<I, F, Of, A...>(), engine::Grouped<F, A...>{f}, engine::all_leaves(a...));
    else if constexpr (is_tensor && engine::is_formula<F, A...>)
      return use(Differentiated<I, F, Of, A...>(), f, std::tie(a...));
  }
}
} // namespace math

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
 *
 * Of several results, those Of which a Jacobian is wanted may be named; the others are carried along:
 *
 *     const auto [results, tangent] = value_and_jacobian<0, 0>(update, strain, state, parameters);
 */
template <size_t I, size_t... Of, class F, class... A>
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
 * value_and_jacobian into existing tensors: the fused pass allocates none. `out` is std::tie(...) of what f returns, one
 * tensor after the other, and then of the Jacobians.
 *
 *     value_and_jacobian_out<0, 0>(std::tie(stress, plastic, alpha, tangent), update, strain, state, parameters);
 *
 * They must have the batch shape of the results, and the dtype and device of the arguments; an argument may be its own output.
 * @throws NEMLException as vmap_out does, with nothing written.
 */
template <size_t I, size_t... Of, class... Out, class F, class... A>
void
value_and_jacobian_out(const std::tuple<Out &...> & out, const F & f, const A &... a)
{
  math::differentiate<I, std::index_sequence<Of...>>(
      [&](auto differentiated, const auto & g, const auto & leaves)
      { differentiated.evaluate_into(out, g, leaves); },
      f,
      a...);
}
} // namespace neml2
