// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/captures.h"
#include "neml2/kernels/jacobian_row.h"
#include "neml2/kernels/kept_values.h"

#include <utility>

/**
 * Derivatives of a formula inside another formula. They are exact: the numbers of the outer formula, which may already be duals, become
 * the values of duals. Derivatives of the outer formula are therefore exact, too.
 */
namespace neml2::kernels
{
/// How many of n derivatives are carried at once: up to 6, or up to 2 if the numbers already carry derivatives. The n derivatives are
/// split into as few parts as possible. With more at once, registers are spilled: a tangent of a neo-Hookean energy takes 0.08 µs with 2,
/// 0.2 µs with 3. There are two exceptions, for numbers with one level of derivatives. All 3 derivatives with respect to a vector are
/// carried at once if its numbers carry no more than 3 derivatives: Ogden's functions of eigenvalues then take 3/4 of the time that two
/// parts take. Up to 8 derivatives with respect to several arguments, such as the forces of a dissipation potential, are carried at once:
/// most operations of such formulas have few operands; with parts of 2, the step of a generalized standard material takes 1.5 times as
/// long.
template <class T>
constexpr int
gradient_partials(int n, int arguments)
{
  const bool is_small =
      dual_levels<T> == 1 && ((partials<T> <= 3 && n == 3) || (arguments > 1 && n <= 8));
  const int most = dual_levels<T> == 0 ? 6 : is_small ? 8 : 2;
  const int parts = (n + most - 1) / most;
  return n == 0 ? 1 : (n + parts - 1) / parts;
}

/// The value of a formula f, and its derivatives with respect to its arguments I, in the order of I.
template <class Which, class F, class... A>
struct Differential;
template <size_t... I, class F, class... A>
struct Differential<std::index_sequence<I...>, F, A...>
{
  using T = number_t<std::tuple<A...>>;
  static constexpr int n = (number_count<std::tuple_element_t<I, std::tuple<A...>>> + ...),
                       chunk = is_recorded<T> ? n : gradient_partials<T>(n, int(sizeof...(I))),
                       padded = (n + chunk - 1) / chunk * chunk;
  using Active = std::conditional_t<is_recorded<T>, T, Dual<T, chunk>>;

  /// The place of the first number of argument K among the variables; -1 if the argument is not a variable.
  template <size_t K>
  static constexpr int first_of()
  {
    int first = -1, next = 0;
    ((first = I == K ? next : first,
      next += number_count<std::tuple_element_t<I, std::tuple<A...>>>),
     ...);
    return first;
  }

  /// Argument K. If K is one of I, its numbers carry derivatives with respect to the variables [first, first + chunk).
  template <size_t K, class X>
  NEML2_INLINE static decltype(auto) argument(const X & a, int first)
  {
    constexpr int place = first_of<K>();
    if constexpr (place < 0)
      return (a);
    else if constexpr (is_recorded<T>)
      return converted<T>(a, [](const auto & c) { return T(c); });
    else
    {
      with_numbers_t<X, Active> r;
      T x[number_count<X>];
      int k = 0;
      for_each_number(a, [&](const auto & c) NEML2_INLINE_LAMBDA { x[k++] = T(c); });
      k = 0;
      for_each_number(r,
                      [&](Active & c) NEML2_INLINE_LAMBDA
                      {
                        c.x = x[k];
                        NEML2_UNROLL
                        for (int j = 0; j < chunk; j++)
                          c.d[j] = T(place + k == first + j ? 1.0 : 0.0);
                        k++;
                      });
      return r;
    }
  }

  template <size_t... K>
  NEML2_CALLS_FORMULA static auto
  call(const F & f, int first, std::index_sequence<K...>, const A &... a)
  {
    return f(argument<K>(a, first)...);
  }

  using Returned = decltype(call(
      std::declval<const F &>(), 0, std::index_sequence_for<A...>(), std::declval<const A &>()...));
  static constexpr bool valid = has_numbers<Returned>;
  static constexpr int count = number_count<Returned>;

  T value[count], partials[count * padded]; ///< ∂y_i/∂x_j at i padded + j

  NEML2_CALLS_FORMULA Differential(const F & f, const A &... a)
  {
    if constexpr (is_recorded<T>)
      record_differential(*this, f, a...);
    else if constexpr (chunk == n)
      evaluate(f, 0, a...);
    else
    {
      // Zeros must be set before the loop: gcc 12 assumes that memory first set inside a loop is free at the end of the loop, and
      // reuses it.
      for (T & p : partials)
        p = T(0.0);
      KeptValues<T> kept;
      NEML2_KEEP_LOOP
      for (int first = 0; first < n; first += chunk)
      {
        evaluate(f, first, a...);
        kept.next_pass();
      }
    }
  }

private:
  NEML2_CALLS_FORMULA void evaluate(const F & f, int first, const A &... a)
  {
    const auto y = call(f, first, std::index_sequence_for<A...>(), a...);
    int i = 0;
    for_each_number(y,
                    [&](const auto & c) NEML2_INLINE_LAMBDA
                    {
                      value[i] = T(value_in<Active>(c));
                      NEML2_UNROLL
                      for (int j = 0; j < chunk; j++)
                        partials[i * padded + first + j] = derivative_in<Active>(c, j);
                      i++;
                    });
  }
};

/// An R with these numbers, in order; the elements of a group keep their types.
template <class R, class T>
NEML2_INLINE with_numbers_t<R, T>
from_numbers(const T * x)
{
  with_numbers_t<R, T> r;
  int k = 0;
  for_each_number(r, [&](T & c) NEML2_INLINE_LAMBDA { c = x[k++]; });
  return r;
}

/// The Jacobian of a result Y with respect to X: one tensor, or groups of tensors. In the matrix `partials`, the numbers of Y begin at row
/// i, and the numbers of X at column j.
template <class Y, class X, class T>
NEML2_INLINE auto jacobian_part(const T * partials, int padded, int i, int j);
template <class Y, class X, class T, size_t... K>
NEML2_INLINE auto
jacobian_of_elements(const T * partials, int padded, int i, int j, std::index_sequence<K...>)
{
  constexpr auto first = [](int k, const auto & counts)
  {
    int n = 0;
    for (int l = 0; l < k; l++)
      n += counts[size_t(l)];
    return n;
  };
  if constexpr (is_group<Y>)
  {
    using Each = typename Fields<Y>::types;
    return
        typename Fields<Y>::template with<decltype(jacobian_part<std::tuple_element_t<K, Each>, X>(
            partials, padded, i, j))...>{
            jacobian_part<std::tuple_element_t<K, Each>, X>(
                partials, padded, i + first(int(K), Numbers<Y>::counts), j)...};
  }
  else
  {
    using Each = typename Fields<X>::types;
    return
        typename Fields<X>::template with<decltype(jacobian_part<Y, std::tuple_element_t<K, Each>>(
            partials, padded, i, j))...>{
            jacobian_part<Y, std::tuple_element_t<K, Each>>(
                partials, padded, i, j + first(int(K), Numbers<X>::counts))...};
  }
}
template <class Y, class X, class T>
NEML2_INLINE auto
jacobian_part(const T * partials, int padded, int i, int j)
{
  if constexpr (is_group<Y>)
    return jacobian_of_elements<Y, X>(
        partials, padded, i, j, std::make_index_sequence<Fields<Y>::count>());
  else if constexpr (is_group<X>)
    return jacobian_of_elements<Y, X>(
        partials, padded, i, j, std::make_index_sequence<Fields<X>::count>());
  else
  {
    using R = typename jacobian_row<T, Y, X>::type;
    static_assert(!std::is_void_v<R>,
                  "there is no type for this Jacobian in formulas and at points: take the "
                  "derivative of fewer "
                  "results, or by another argument");
    constexpr int rows = number_count<Y>, columns = number_count<X>;
    T x[rows * columns];
    NEML2_UNROLL
    for (int k = 0; k < rows; k++)
      NEML2_UNROLL
    for (int l = 0; l < columns; l++)
      x[k * columns + l] = partials[(i + k) * padded + j + l];
    if constexpr (!std::is_void_v<R>)
      return from_numbers<R>(x);
    else // an error has been reported already: this avoids further ones
      return 0.0;
  }
}

/// Enables an overload for arguments in a formula (if_in_formula) or for all others (if_on_batches).
template <class... A>
using if_in_formula = std::enable_if_t<sizeof...(A) != 0 && (has_numbers<A> && ...), int>;
template <class... A>
using if_on_batches = std::enable_if_t<sizeof...(A) == 0 || !(has_numbers<A> && ...), int>;

/// Checks argument I of a derivative before its use, so that only this error is reported.
template <size_t I, class... A>
constexpr bool
can_differentiate_by()
{
  static_assert(I < sizeof...(A), "gradient<I>, jacobian<I>, hessian<I>: there is no argument I");
  if constexpr (I < sizeof...(A))
  {
    using X = std::tuple_element_t<I, std::tuple<A...>>;
    constexpr bool variable =
        !std::is_arithmetic_v<X> || std::is_arithmetic_v<number_t<std::tuple<A...>>>;
    static_assert(variable,
                  "gradient<I>, jacobian<I>, hessian<I>: argument I must be a scalar or a tensor "
                  "of the formula, not a plain number");
    return variable;
  }
  else
    return false;
}
template <class F>
constexpr bool
can_be_differentiated()
{
  static_assert(
      holds_only_numbers<F>(),
      "gradient, jacobian, hessian: the formula must not capture values: derivatives by "
      "captured values cannot be distinguished from derivatives by arguments. Pass these values as "
      "arguments, or write a struct of up to 16 public fields that are numbers or enumerations");
  return holds_only_numbers<F>();
}

/// The value of a scalar formula, and its derivatives with respect to the arguments I: one derivative, or a tuple of derivatives.
template <size_t... I, class F, class... A>
NEML2_CALLS_FORMULA auto
differentiate_scalar(const F & f, const A &... a)
{
  using D = Differential<std::index_sequence<I...>, F, A...>;
  constexpr bool is_scalar =
      D::valid && !is_group<typename D::Returned> && !is_row<typename D::Returned>::value;
  static_assert(
      is_scalar,
      "gradient<I>, hessian<I>: the formula must return a scalar: use jacobian<I> for tensors");
  if constexpr (is_scalar)
  {
    using T = typename D::T;
    const D d(f, a...);
    if constexpr (sizeof...(I) == 1)
      return std::pair(d.value[0],
                       from_numbers<std::tuple_element_t<I, std::tuple<A...>>...>(d.partials));
    else
      return std::pair(d.value[0],
                       std::tuple(from_numbers<std::tuple_element_t<I, std::tuple<A...>>, T>(
                           d.partials + D::template first_of<I>())...));
  }
  else // an error has been reported already: this avoids further ones
    return std::pair(0.0, 0.0);
}

/// The value of a scalar formula f, and its gradient; see gradient.
template <size_t... I, class F, class... A, if_in_formula<A...> = 0>
NEML2_CALLS_FORMULA auto
value_and_gradient(const F & f, const A &... a)
{
  static_assert(sizeof...(I) > 0, "gradient<I>: name an argument, as in gradient<0>(f, x)");
  if constexpr (sizeof...(I) > 0 && can_be_differentiated<F>() &&
                (can_differentiate_by<I, A...>() && ...))
    return differentiate_scalar<I...>(f, with_real_numbers(a)...);
  else
    return std::pair(0.0, 0.0);
}
/// The derivative of a scalar formula with respect to its argument I; it has the type of that argument. With several I the result is a
/// std::tuple of the derivatives.
template <size_t... I, class F, class... A, if_in_formula<A...> = 0>
NEML2_CALLS_FORMULA auto
gradient(const F & f, const A &... a)
{
  return value_and_gradient<I...>(f, a...).second;
}

/// The value of a formula, and its derivative with respect to argument I. If Of names some results of a group, only their derivatives are
/// returned.
template <size_t I, size_t... Of, class F, class... A>
NEML2_CALLS_FORMULA auto
differentiate_row(const F & f, const A &... a)
{
  using D = Differential<std::index_sequence<I>, F, A...>;
  static_assert(D::valid,
                "jacobian<I>: the formula must return a tensor, a scalar, or a group of them");
  if constexpr (D::valid && is_of_values<typename D::Returned>())
  {
    using X = std::tuple_element_t<I, std::tuple<A...>>;
    using Y = typename D::Returned;
    const D d(f, a...);
    const auto all = jacobian_part<Y, X>(d.partials, D::padded, 0, 0);
    const auto value = from_numbers<Y>(d.value);
    if constexpr (sizeof...(Of) == 0)
      return std::pair(value, all);
    else if constexpr (!is_group<Y>)
      return std::pair(value, all);
    else if constexpr (sizeof...(Of) == 1)
      return std::pair(
          value,
          std::decay_t<decltype(std::get<Of...>(fields(all)))>(std::get<Of...>(fields(all))));
    else
      return std::pair(value, std::tuple(std::get<Of>(fields(all))...));
  }
  else
    return std::pair(0.0, 0.0);
}

/// The value of a formula and its derivative with respect to argument I, like value_and_jacobian of batches.
template <size_t I, size_t... Of, class F, class... A, if_in_formula<A...> = 0>
NEML2_CALLS_FORMULA auto
value_and_jacobian(const F & f, const A &... a)
{
  if constexpr (can_be_differentiated<F>() && can_differentiate_by<I, A...>())
    return differentiate_row<I, Of...>(f, with_real_numbers(a)...);
  else
    return std::pair(0.0, 0.0);
}
/// The derivative of a formula with respect to its argument I.
template <size_t I, class F, class... A, if_in_formula<A...> = 0>
NEML2_CALLS_FORMULA auto
jacobian(const F & f, const A &... a)
{
  return value_and_jacobian<I>(f, a...).second;
}

/// The gradient of a formula f with respect to argument I. It is a formula itself.
template <size_t I, class F>
struct RowGradient
{
  const F & f;

  template <class... A>
  NEML2_CALLS_FORMULA auto operator()(const A &... a) const
  {
    return differentiate_scalar<I>(f, a...).second;
  }
};
/// The second derivative of a scalar formula with respect to its argument I.
template <size_t I, class F, class... A, if_in_formula<A...> = 0>
NEML2_CALLS_FORMULA auto
hessian(const F & f, const A &... a)
{
  if constexpr (can_be_differentiated<F>() && can_differentiate_by<I, A...>())
    return differentiate_row<I>(RowGradient<I, F>{f}, with_real_numbers(a)...).second;
  else
    return 0.0;
}
} // namespace neml2::kernels
