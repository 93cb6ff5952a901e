// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/inline.h"

#include <cstddef>
#include <tuple>
#include <type_traits>

/**
 * Groups of values: std::tuples, and structs that are templates of the types of their fields, such as
 *
 *     template <class S, class A>
 *     struct State
 *     {
 *       S stress;
 *       A alpha;
 *     };
 *
 * Outside a formula such a struct holds batches; inside a formula it holds single tensors.
 */
namespace neml2::kernels
{
struct AnyField
{
  template <class T>
  operator T() const;
};
template <class S, class = void, class... T>
constexpr bool is_initialised_by = false;
template <class S, class... T>
constexpr bool is_initialised_by<S, std::void_t<decltype(S{std::declval<T>()...})>, T...> = true;

/// Whether an S has fields of exactly the types T, tested by its initialisation.
template <class S, class... T>
constexpr bool
has_fields()
{
  if constexpr (sizeof...(T) == 0 || !std::is_aggregate_v<S>)
    return false;
  else
    return is_initialised_by<S, void, T...> && !is_initialised_by<S, void, T..., AnyField>;
}

/// The fields of a group R (a tuple or such a struct): their number, their types, and the same group with fields of other types.
template <class R, class = void>
struct Fields
{
  static constexpr bool exist = false;
};
template <class... T>
struct Fields<std::tuple<T...>>
{
  static constexpr bool exist = true;
  static constexpr size_t count = sizeof...(T);
  using types = std::tuple<std::decay_t<T>...>;
  template <class... U>
  using with = std::tuple<U...>;

  template <class R>
  NEML2_INLINE static constexpr auto of(R & r)
  {
    return std::apply([](auto &... x) { return std::tie(x...); }, r);
  }
};

/// For a tuple of references: the tuple of the values to which they refer.
template <class... T>
std::tuple<std::decay_t<T>...> without_references(const std::tuple<T...> &);

/// References to the fields of a struct, in order.
template <int Count, class S>
NEML2_INLINE constexpr auto
bind_fields(S & s)
{
  static_assert(Count <= 16,
                "a struct of tensors has at most 16 fields: move some of them into another struct");
  if constexpr (Count == 1)
  {
    auto & [a] = s;
    return std::tie(a);
  }
  else if constexpr (Count == 2)
  {
    auto & [a, b] = s;
    return std::tie(a, b);
  }
  else if constexpr (Count == 3)
  {
    auto & [a, b, c] = s;
    return std::tie(a, b, c);
  }
  else if constexpr (Count == 4)
  {
    auto & [a, b, c, d] = s;
    return std::tie(a, b, c, d);
  }
  else if constexpr (Count == 5)
  {
    auto & [a, b, c, d, e] = s;
    return std::tie(a, b, c, d, e);
  }
  else if constexpr (Count == 6)
  {
    auto & [a, b, c, d, e, f] = s;
    return std::tie(a, b, c, d, e, f);
  }
  else if constexpr (Count == 7)
  {
    auto & [a, b, c, d, e, f, g] = s;
    return std::tie(a, b, c, d, e, f, g);
  }
  else if constexpr (Count == 8)
  {
    auto & [a, b, c, d, e, f, g, h] = s;
    return std::tie(a, b, c, d, e, f, g, h);
  }
  else if constexpr (Count == 9)
  {
    auto & [a, b, c, d, e, f, g, h, i] = s;
    return std::tie(a, b, c, d, e, f, g, h, i);
  }
  else if constexpr (Count == 10)
  {
    auto & [a, b, c, d, e, f, g, h, i, j] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j);
  }
  else if constexpr (Count == 11)
  {
    auto & [a, b, c, d, e, f, g, h, i, j, k] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k);
  }
  else if constexpr (Count == 12)
  {
    auto & [a, b, c, d, e, f, g, h, i, j, k, l] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l);
  }
  else if constexpr (Count == 13)
  {
    auto & [a, b, c, d, e, f, g, h, i, j, k, l, m] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m);
  }
  else if constexpr (Count == 14)
  {
    auto & [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
  }
  else if constexpr (Count == 15)
  {
    auto & [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
  }
  else if constexpr (Count == 16)
  {
    auto & [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
  }
}

template <template <class...> class S, class... T>
struct Fields<S<T...>, std::enable_if_t<has_fields<S<T...>, T...>()>>
{
  static constexpr bool exist = true;
  static constexpr size_t count = sizeof...(T);
  using types = std::tuple<T...>;
  template <class... U>
  using with = S<U...>;

  template <class R>
  NEML2_INLINE static constexpr auto of(R & r)
  {
    const auto f = bind_fields<int(count)>(r);
    constexpr bool match = std::is_same_v<std::tuple<std::remove_const_t<T>...>,
                                          std::decay_t<decltype(without_references(f))>>;
    static_assert(
        match, "a struct of tensors must be a template of the types of its fields, in their order");
    return f;
  }
};

template <class R>
constexpr bool is_group = Fields<std::remove_const_t<R>>::exist;

/// References to the elements of a group, in order.
template <class R>
NEML2_INLINE constexpr auto
fields(R & r)
{
  return Fields<std::remove_const_t<R>>::of(r);
}

/// Whether R is a tuple of references, as std::tie makes it, or contains one.
template <class R>
constexpr bool holds_references = false;
template <class... T>
constexpr bool holds_references<std::tuple<T...>> =
    ((std::is_reference_v<T> || holds_references<std::decay_t<T>>) || ...);
/// Checks that a formula's result consists of values.
template <class R>
constexpr bool
is_of_values()
{
  static_assert(!holds_references<R>,
                "a formula returned references to its variables, which exist only while it runs: "
                "return std::tuple(a, b) instead of std::tie(a, b)");
  return !holds_references<R>;
}
} // namespace neml2::kernels
