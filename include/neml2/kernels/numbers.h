// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Components.h"
#include "neml2/kernels/Dual.h"
#include "neml2/kernels/fields.h"

#include <array>

/// Scalars, tensors and groups of them as sequences of numbers, in order.
namespace neml2::kernels
{
/// For a scalar: how many numbers it has, their type, and the same scalar with numbers of type U.
template <class R, class = void>
struct Numbers
{
  static constexpr bool valid = std::is_arithmetic_v<R> || std::is_base_of_v<Component<R>, R>;
  static constexpr int count = 1;
  using number = R;
  template <class U>
  using with = U;

  template <class S, class F>
  NEML2_INLINE static constexpr void each(S & a, const F & f)
  {
    f(a);
  }
};
template <template <class> class R, class T>
struct Numbers<R<T>, std::enable_if_t<is_row<R<T>>::value>>
{
  static constexpr bool valid = true;
  static constexpr int count = R<T>::n;
  using number = T;
  template <class U>
  using with = R<U>;

  template <class S, class F>
  NEML2_INLINE static constexpr void each(S & a, const F & f)
  {
    NEML2_UNROLL
    for (int i = 0; i < count; i++)
      f(a[i]);
  }
};
/// The type of the sum of numbers; void for other types, such as batches.
template <bool are_numbers, class... T>
struct sum_of_numbers
{
  using type = void;
};
template <class... T>
struct sum_of_numbers<true, T...>
{
  using type = std::decay_t<decltype((0.0 + ... + std::declval<T>()))>;
};
template <class G, class Types = typename Fields<G>::types>
struct NumbersOf;
template <class G, class... R>
struct NumbersOf<G, std::tuple<R...>>
{
  static constexpr bool valid = (Numbers<R>::valid && ...);
  static constexpr std::array<int, sizeof...(R)> counts{{Numbers<R>::count...}};
  static constexpr int count = (0 + ... + Numbers<R>::count);
  using number = typename sum_of_numbers<valid, typename Numbers<R>::number...>::type;
  template <class U>
  using with = typename Fields<G>::template with<typename Numbers<R>::template with<U>...>;

  template <class S, class F>
  NEML2_INLINE static constexpr void each(S & a, const F & f)
  {
    std::apply([&](auto &... r) { (Numbers<R>::each(r, f), ...); }, fields(a));
  }
};
template <class G>
struct Numbers<G, std::enable_if_t<is_group<G>>> : NumbersOf<G>
{
};

/// Whether an R consists of numbers, and how many.
template <class R>
constexpr bool has_numbers = Numbers<R>::valid;
template <class R>
constexpr int number_count = Numbers<R>::count;

/// Whether an A is an integer, or a group that contains one.
template <class A, class = void>
constexpr bool holds_integers = std::is_integral_v<A> && !std::is_same_v<A, bool>;
template <template <class...> class G, class... T>
constexpr bool holds_integers<G<T...>, std::enable_if_t<is_group<G<T...>>>> =
    (holds_integers<std::decay_t<T>> || ...);
/// a with its integers as double, because the plain numbers of formulas are scalars: 1 / n is not rounded.
template <class A>
NEML2_INLINE constexpr decltype(auto)
with_real_numbers(const A & a)
{
  if constexpr (!holds_integers<A>)
    return (a);
  else if constexpr (!is_group<A>)
    return double(a);
  else
    return std::apply(
        [](const auto &... x)
        {
          return typename Fields<A>::template with<std::decay_t<decltype(with_real_numbers(x))>...>{
              with_real_numbers(x)...};
        },
        fields(a));
}

/// The R with its numbers replaced by numbers of type U.
template <class R, class U>
using with_numbers_t = typename Numbers<R>::template with<U>;

/// The type of the numbers of an R, with the derivatives that they carry (number_t), or without
/// derivatives (plain_number_t).
template <class R>
using number_t = typename Numbers<R>::number;
template <class R>
using plain_number_t = typename innermost_number<number_t<R>>::type;

/// Whether the numbers of an R carry derivatives.
template <class R>
constexpr bool is_active = !std::is_same_v<number_t<R>, plain_number_t<R>>;

/// Whether T is the type of the numbers of a recording (the list of operations of a formula). For such numbers newton, isotropic and
/// Differential call functions of recorded/calls.h, which argument-dependent lookup finds.
template <class T>
constexpr bool is_recorded = false;

/// f(number) for each number of a, in order.
template <class R, class F>
NEML2_INLINE constexpr void
for_each_number(R & a, const F & f)
{
  Numbers<std::remove_const_t<R>>::each(a, f);
}

/// a with each number c replaced by f(c), a number of type U.
template <class U, class R, class F>
NEML2_INLINE auto
converted(const R & a, const F & f)
{
  U x[number_count<R>];
  int k = 0;
  for_each_number(a, [&](const auto & c) NEML2_INLINE_LAMBDA { x[k++] = f(c); });
  with_numbers_t<R, U> r;
  k = 0;
  for_each_number(r, [&](auto & c) NEML2_INLINE_LAMBDA { c = x[k++]; });
  return r;
}

/// The value of a number without derivatives: the number itself. Recorded numbers have an overload, since the value of a recorded number
/// still has the derivatives of the operations that computed it.
template <class N>
NEML2_INLINE const N &
without_derivative(const N & a)
{
  return a;
}
/// a without the derivatives, of any order, that its numbers carry.
template <class R>
NEML2_INLINE auto
without_derivatives(const R & a)
{
  if constexpr (!is_active<R>)
    return a;
  else
    return converted<plain_number_t<R>>(
        a, [](const auto & c) NEML2_INLINE_LAMBDA { return without_derivative(innermost(c)); });
}
} // namespace neml2::kernels
