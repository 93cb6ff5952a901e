// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/numbers_of.h"
#include "neml2/math/arithmetic.h"

#include <array>
#include <tuple>

/**
 * Converts tensors to the numbers that they consist of, and back, in formulas of vmap and on whole batches. The conversions are meant for
 * algorithms that work only with numbers, such as a solver for equations whose unknowns are several tensors.
 *
 *     const auto x = numbers_of(stress, hardening);                // std::array of 7 scalars
 *     const auto [s, h] = tensors_of<SR2, Scalar>(x);
 */
namespace neml2
{
namespace math
{
template <class X>
constexpr auto
scalar_of()
{
  if constexpr (is_tensor<X>)
    return static_cast<dependent_scalar_t<X> *>(nullptr);
  else
    return static_cast<typename kernels::number_of_row<X>::type *>(nullptr);
}

/// Appends the stored components of a tensor, or a number, to x as Scalars.
template <class A, size_t n>
void
append_scalars(const A & a,
               const at::Tensor & like,
               std::array<dependent_scalar_t<A>, n> & x,
               size_t & k)
{
  if constexpr (is_tensor<A>)
  {
    static_assert(is_primitive<A>,
                  "numbers_of takes tensors whose type fixes their base shape (Scalar, Vec, SR2, "
                  "...), and numbers");
    check_defined("numbers_of", a);
    const Size dim = a.batch_dim();
    const at::Tensor numbers =
        A::const_base_dim == 0 ? a.unsqueeze(-1) : at::Tensor(a.flatten(dim));
    for (Size i = 0; i < A::const_base_numel; i++)
      x[k++] = dependent_scalar_t<A>(numbers.select(-1, i), dim);
  }
  else
    x[k++] = scalar_like(a, like);
}

template <class A>
constexpr size_t
count_scalars()
{
  if constexpr (is_primitive<A>)
    return size_t(A::const_base_numel);
  else
    return 1;
}

/// A tensor of the numbers of x, starting at number `first`.
template <class T, size_t first, class X, size_t n, size_t... I>
auto
tensor_of(const std::array<X, n> & x, std::index_sequence<I...>)
{
  if constexpr (is_tensor<X>)
    return stack<T>(Operation("tensors_of", Accepts::any), {x[first + I]...});
  else
    return kernels::row_of_components<T::template Row>(x[first + I]...);
}
template <class... T, class X, size_t n, size_t... K>
auto
tensors_of(const std::array<X, n> & x, std::index_sequence<K...>)
{
  constexpr size_t count[] = {count_scalars<T>()...};
  constexpr auto first = [=](size_t k)
  {
    size_t sum = 0;
    for (size_t i = 0; i < k; i++)
      sum += count[i];
    return sum;
  };
  return std::tuple(tensor_of<T, first(K)>(x, std::make_index_sequence<count_scalars<T>()>())...);
}
} // namespace math

/// The type of the scalars of a tensor or scalar of type X in a formula: scalar_of<decltype(strain)>. This type includes the derivatives
/// that X carries. A result may carry derivatives with respect to more arguments, so its scalars need the type of this result:
/// scalar_of<decltype(E * strain)>. Outside of formulas scalar_of is Scalar.
template <class X>
using scalar_of = std::remove_pointer_t<decltype(math::scalar_of<std::decay_t<X>>())>;

/// The stored components of some tensors, scalars and numbers, in order: a std::array of scalars. For whole batches (...; base) each scalar
/// is (...; ). In a formula, argument-dependent lookup finds kernels::numbers_of instead.
template <class... A,
          std::enable_if_t<(core::is_tensor<A> || ...) &&
                               ((core::is_tensor<A> || core::is_number<A>)&&...),
                           int> = 0>
auto
numbers_of(const A &... a)
{
  std::array<scalar_of<std::tuple_element_t<0, std::tuple<core::dependent_scalar_t<A>...>>>,
             (size_t(0) + ... + math::count_scalars<A>())>
      x;
  size_t k = 0;
  (math::append_scalars(a, core::first_of_formula(a...), x, k), ...);
  return x;
}

/// Tensors of types T from the numbers that numbers_of returns for tensors of these types: one tensor, or a std::tuple of several. If the
/// numbers are Scalars (...; ), whose batch shapes broadcast, the tensors are whole batches.
/// @throws NEMLException if batch shapes do not broadcast.
template <class... T, class X, size_t n>
auto
tensors_of(const std::array<X, n> & x)
{
  constexpr bool primitive = (core::is_primitive<T> && ...);
  static_assert(primitive && sizeof...(T) > 0,
                "tensors_of<T...>: name types that fix their base shapes (Scalar, Vec, SR2, ...)");
  if constexpr (primitive)
  {
    constexpr bool fits = (size_t(0) + ... + math::count_scalars<T>()) == n;
    static_assert(
        fits, "tensors_of<T...>: the types do not have as many components as there are numbers");
    if constexpr (fits)
    {
      auto r = math::tensors_of<T...>(x, std::index_sequence_for<T...>());
      if constexpr (sizeof...(T) == 1)
        return std::get<0>(r);
      else
        return r;
    }
  }
}
} // namespace neml2
