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
struct Differentiated
{
  using type = std::tuple<typename result_element<Of, R>::type...>;
};
template <class R>
struct Differentiated<R>
{
  using type = R;
};
template <class R, size_t Of>
struct Differentiated<R, Of>
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
  std::array<size_t, engine::Group<typename Differentiated<R, Of...>::type>::count> leaves{};
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

/// Value and Jacobian, of a formula that may take and return tuples.
template <size_t I, size_t... Of, class F, class G, class Leaves, class... A>
auto
differentiate(const F &, const G & g, const Leaves & l, const A &...)
{
  using Returned =
      std::decay_t<std::invoke_result_t<const F &, const typename engine::row_group<A>::type &...>>;
  constexpr bool exist = ((Of < result_count<Returned>)&&...);
  static_assert(exist, "value_and_jacobian<I, Of...>: the formula has no such result");
  if constexpr (exist)
  {
    using Wanted = typename Differentiated<Returned, Of...>::type;
    constexpr auto first = engine::first_leaves<A...>();
    const auto of =
        leaf_sequence<Returned, Of...>(std::make_index_sequence<engine::Group<Wanted>::count>());
    const auto [value, jacobians] = std::apply(
        [&](const auto &... leaf) {
          return engine::differentiate_formula<first[I]>(of, g, engine::formula_argument(leaf)...);
        },
        l);
    const auto jacobian = engine::Group<Wanted>::template regroup<0>(jacobians);
    if constexpr (packs::is_tuple<Returned>)
      return std::pair(engine::Group<Returned>::template regroup<0>(value), jacobian);
    else
      return std::pair(value, jacobian);
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
  static_assert(I < sizeof...(A), "value_and_jacobian<I>: there is no argument I");
  if constexpr (I < sizeof...(A))
  {
    constexpr bool is_tensor = core::is_primitive<std::tuple_element_t<I, std::tuple<A...>>>;
    static_assert(is_tensor,
                  "value_and_jacobian<I>: argument I must be a tensor; make a number a Scalar");
    if constexpr (is_tensor && engine::needs_groups<F, A...>())
      return math::differentiate<I, Of...>(
          f, engine::Grouped<F, A...>{f}, std::tuple_cat(engine::Group<A>::leaves(a)...), a...);
    else if constexpr (is_tensor && engine::is_formula<F, A...>)
      return math::differentiate<I, Of...>(f, f, std::tie(a...), a...);
  }
}
} // namespace neml2
