// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/formula.h"

/// Arguments and results of formulas that are std::tuples: to the engine they are their leaves, one after the other.
namespace neml2::engine
{
/// An argument or result: one leaf; or a tuple, whose leaves are those of its elements.
template <class T>
struct Group
{
  static constexpr size_t count = 1;

  NEML2_INLINE static auto leaves(const T & a) { return std::tuple<const T &>(a); }

  /// The leaves from First on, in this structure.
  template <size_t First, class Leaves>
  NEML2_INLINE static const auto & regroup(const Leaves & l)
  {
    return std::get<First>(l);
  }
};
template <class... T>
struct Group<std::tuple<T...>>
{
  static constexpr size_t count = (size_t(0) + ... + Group<T>::count);

  NEML2_INLINE static auto leaves(const std::tuple<T...> & a)
  {
    return std::apply([](const T &... x) { return std::tuple_cat(Group<T>::leaves(x)...); }, a);
  }

  template <size_t First, class Leaves>
  NEML2_INLINE static auto regroup(const Leaves & l)
  {
    return regroup<First>(l, std::index_sequence_for<T...>());
  }

private:
  template <size_t First, class Leaves, size_t... I>
  NEML2_INLINE static auto regroup(const Leaves & l, std::index_sequence<I...>);
};

/// Where each of some arguments begins among the leaves of all.
template <class... A>
constexpr auto
first_leaves()
{
  std::array<size_t, sizeof...(A)> first{};
  size_t i = 0, k = 0;
  ((first[i++] = k, k += Group<A>::count), ...);
  return first;
}

template <class... T>
template <size_t First, class Leaves, size_t... I>
auto
Group<std::tuple<T...>>::regroup(const Leaves & l, std::index_sequence<I...>)
{
  constexpr auto first = first_leaves<T...>();
  return std::make_tuple(Group<T>::template regroup<First + first[I]>(l)...);
}

/// The leaves of a result, by value, and what is no tuple as it is.
template <class R>
NEML2_INLINE auto
flat_result(const R & r)
{
  if constexpr (is_tuple<R>)
    return std::apply([](const auto &... leaf)
                      { return std::tuple<std::decay_t<decltype(leaf)>...>(leaf...); },
                      Group<R>::leaves(r));
  else
    return r;
}

/// A formula as one of the leaves of its arguments A.
template <class F, class... A>
struct Grouped
{
  static constexpr bool has_fused_gradient = has_gradient<F>, owns_what_it_holds = is_kept<F>;
  static constexpr auto name = formula_name<F>();

  F f;

  template <class... L>
  NEML2_INLINE auto operator()(const L &... leaf) const
  {
    return flat_result(call(std::tuple<const L &...>(leaf...), std::index_sequence_for<A...>()));
  }

  /// What f returns for these leaves.
  template <class Leaves, size_t... I>
  NEML2_INLINE auto call(const Leaves & l, std::index_sequence<I...>) const
  {
    constexpr auto first = first_leaves<A...>();
    return f(Group<A>::template regroup<first[I]>(l)...);
  }

  template <class... L, class G>
  std::shared_ptr<const Gradient> gradient_by_duals(const G & g) const
  {
    return f.template gradient_by_duals<L...>(g);
  }
};

/// Whether a result is a tuple with tuples in it.
template <class R>
constexpr bool is_nested = false;
template <class... R>
constexpr bool is_nested<std::tuple<R...>> = (is_tuple<std::decay_t<R>> || ...);

/// The row of an argument, or the tuple of those of its elements.
template <class A>
struct row_group
{
  using type = row_t<A, Pack<1>>;
};
template <class... A>
struct row_group<std::tuple<A...>>
{
  using type = std::tuple<typename row_group<A>::type...>;
};

template <class A>
constexpr bool are_formula_arguments = is_formula_argument<A>;
template <class... A>
constexpr bool are_formula_arguments<std::tuple<A...>> = (are_formula_arguments<A> && ...);

/// What the formula returns for a point.
template <class F, class... A>
using returned_t =
    std::decay_t<std::invoke_result_t<const F &, const typename row_group<A>::type &...>>;

/// The leaves of all arguments.
template <class... A>
auto
all_leaves(const A &... a)
{
  return std::tuple_cat(Group<A>::leaves(a)...);
}

/// Results as the formula returns them, a Returned: its tuples of tuples from its leaves.
template <class Returned, class Results>
auto
regrouped(const Results & r)
{
  if constexpr (is_tuple<Returned>)
    return Group<Returned>::template regroup<0>(r);
  else
    return r;
}

/// Whether the formula takes or returns tuples of tuples.
template <class F, class... A>
constexpr bool
needs_groups()
{
  if constexpr ((is_tuple<A> || ...))
    return true;
  else if constexpr ((is_formula_argument<A> && ...))
  {
    if constexpr (std::is_invocable_v<const F &, const row_t<A, Pack<1>> &...>)
      return is_nested<returned_t<F, A...>>;
    else
      return false;
  }
  else
    return false;
}

/// use(formula, leaves...) of what takes single arguments, and what it gives in the structure of the formula's result.
template <class F, class Use, class... A>
auto
by_leaves(const F & f, const Use & use, const A &... a)
{
  static_assert(
      (are_formula_arguments<A> && ...),
      "vmap: a tuple of arguments must be of tensors whose types fix their base shapes, of plain "
      "numbers, or of tuples of them");
  if constexpr ((are_formula_arguments<A> && ...))
    return regrouped<returned_t<F, A...>>(std::apply(
        [&](const auto &... leaf) { return use(Grouped<F, A...>{f}, leaf...); }, all_leaves(a...)));
}
} // namespace neml2::engine
