// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Components.h"

#include <array>

/// Scalars and tensors as the numbers that they are made of.
namespace neml2::kernels
{
/// How many numbers an R has.
template <class R>
constexpr int
count_numbers()
{
  if constexpr (is_row<R>::value)
    return R::n;
  else
    return 1;
}

template <class R, class T>
NEML2_INLINE constexpr void
append_numbers(const R & r, T * x, int & k)
{
  if constexpr (is_row<R>::value)
  {
    NEML2_UNROLL
    for (int i = 0; i < R::n; i++)
      x[k++] = T(r[i]);
  }
  else
    x[k++] = T(r);
}

/// Whether R are scalars and tensors of a formula, at least one of them no plain number.
template <class... R>
constexpr bool are_of_formula = ((is_row<R>::value || std::is_arithmetic_v<R> ||
                                  std::is_base_of_v<Component<R>, R>)&&...) &&
                                !(std::is_arithmetic_v<R> && ...);

/// All components as they are stored, in order, of one type.
template <class... R, std::enable_if_t<are_of_formula<R...>, int> = 0>
NEML2_INLINE constexpr auto
numbers_of(const R &... r)
{
  using T = std::decay_t<decltype((0.0 + ... + std::declval<typename number_of_row<R>::type>()))>;
  std::array<T, size_t((0 + ... + count_numbers<R>()))> x{};
  int k = 0;
  (append_numbers(r, x.data(), k), ...);
  return x;
}
} // namespace neml2::kernels
