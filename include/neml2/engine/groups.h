// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/formula.h"
#include "neml2/kernels/fields.h"

/// Groups (tuples or structs, see kernels/fields.h) as arguments and results of formulas. The rest of the engine sees only the leaves of
/// groups (tensors and numbers), one after the other.
namespace neml2::engine
{
using kernels::fields;
using kernels::Fields;
using kernels::is_group;

/// The leaves of an argument or result. The argument or result is a single leaf, or a group, whose leaves are the leaves of its elements.
template <class T, class = void>
struct Group
{
  static constexpr size_t count = 1;

  template <class A>
  NEML2_INLINE static auto leaves(A & a)
  {
    return std::tie(a);
  }

  /// Rebuilds this structure from the leaves l, beginning with leaf number First.
  template <size_t First, class Leaves>
  NEML2_INLINE static const auto & regroup(const Leaves & l)
  {
    return std::get<First>(l);
  }
};

/// For each argument, the index of its first leaf among the leaves of all arguments.
template <class... A>
constexpr auto
first_leaves()
{
  std::array<size_t, sizeof...(A)> first{};
  size_t i = 0, k = 0;
  ((first[i++] = k, k += Group<A>::count), ...);
  return first;
}

template <class T, class Types = typename Fields<T>::types>
struct GroupOf;
template <class G, class... T>
struct GroupOf<G, std::tuple<T...>>
{
  static constexpr size_t count = (size_t(0) + ... + Group<T>::count);

  template <class A>
  NEML2_INLINE static auto leaves(A & a)
  {
    return std::apply([](auto &... x) { return std::tuple_cat(Group<T>::leaves(x)...); },
                      fields(a));
  }

  template <size_t First, class Leaves>
  NEML2_INLINE static auto regroup(const Leaves & l)
  {
    return regroup<First>(l, std::index_sequence_for<T...>());
  }

private:
  template <size_t First, class Leaves, size_t... I>
  NEML2_INLINE static auto regroup(const Leaves & l, std::index_sequence<I...>)
  {
    constexpr auto first = first_leaves<T...>();
    return of(Group<T>::template regroup<First + first[I]>(l)...);
  }
  template <class... U>
  NEML2_INLINE static auto of(const U &... x)
  {
    return typename Fields<G>::template with<U...>{x...};
  }
};
template <class T>
struct Group<T, std::enable_if_t<is_group<T>>> : GroupOf<T>
{
};

/// Returns the leaves of a group as a tuple of values. Any other result is returned unchanged.
template <class R>
NEML2_INLINE auto
flat_result(const R & r)
{
  if constexpr (is_group<R>)
    return std::apply([](const auto &... leaf)
                      { return std::tuple<std::decay_t<decltype(leaf)>...>(leaf...); },
                      Group<R>::leaves(r));
  else
    return r;
}

/// The formula f of arguments of types A as a formula of the leaves of these arguments.
template <class F, class... A>
struct Grouped
{
  using FormulaWithin = F;
  static constexpr bool has_fused_gradient = has_gradient<F>, owns_what_it_holds = is_kept<F>,
                        in_float32 = is_in_float32<F>;
  static constexpr auto name = formula_name<F>();

  F f;

  template <class... L>
  NEML2_CALLS_FORMULA auto operator()(const L &... leaf) const
  {
    return flat_result(call(std::tuple<const L &...>(leaf...), std::index_sequence_for<A...>()));
  }

  /// The result of f for these leaves.
  template <class Leaves, size_t... I>
  NEML2_CALLS_FORMULA auto call(const Leaves & l, std::index_sequence<I...>) const
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

/// Whether a result is a group other than a tuple of tensors.
template <class R>
constexpr bool is_nested = is_group<R>;
template <class... R>
constexpr bool is_nested<std::tuple<R...>> = (is_group<std::decay_t<R>> || ...);

/// The row type of an argument. For a group it is the group of the row types of its elements.
template <class A, class = void>
struct row_group
{
  using type = row_t<A, Pack<1>>;
};
template <class G, class Types = typename Fields<G>::types>
struct row_group_of;
template <class G, class... A>
struct row_group_of<G, std::tuple<A...>>
{
  using type = typename Fields<G>::template with<typename row_group<A>::type...>;
};
template <class A>
struct row_group<A, std::enable_if_t<is_group<A>>> : row_group_of<A>
{
};

template <class A, class = void>
constexpr bool are_formula_arguments = is_formula_argument<A>;
template <class Types>
constexpr bool elements_are_formula_arguments = false;
template <class... A>
constexpr bool elements_are_formula_arguments<std::tuple<A...>> = (are_formula_arguments<A> && ...);
template <class G>
constexpr bool are_formula_arguments<G, std::enable_if_t<is_group<G>>> =
    elements_are_formula_arguments<typename Fields<G>::types>;

/// The type that the formula returns for a point.
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

/// Puts the results, which are leaves, together into an object of the type that the formula returns.
template <class Returned, class Results>
auto
regrouped(const Results & r)
{
  if constexpr (is_group<Returned>)
    return Group<Returned>::template regroup<0>(r);
  else
    return r;
}

/// Whether the formula takes a group, or returns a group other than a tuple of tensors.
template <class F, class... A>
constexpr bool
needs_groups()
{
  if constexpr ((is_group<A> || ...))
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

/// Calls use(formula, leaves...) with a formula that takes the leaves, and returns the results in the structure that f returns.
template <class F, class Use, class... A>
auto
by_leaves(const F & f, const Use & use, const A &... a)
{
  static_assert(
      (are_formula_arguments<A> && ...),
      "vmap: a group of arguments, a std::tuple or a struct that is a template of the types of its "
      "fields, must consist of tensors whose types fix their base shapes, of plain numbers, or of "
      "groups");
  if constexpr ((are_formula_arguments<A> && ...))
    return regrouped<returned_t<F, A...>>(std::apply(
        [&](const auto &... leaf) { return use(Grouped<F, A...>{f}, leaf...); }, all_leaves(a...)));
}
} // namespace neml2::engine
