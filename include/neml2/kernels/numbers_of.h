// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/numbers.h"

#include <array>

/// The numbers of scalars and tensors.
namespace neml2::kernels
{
/// Whether R are scalars and tensors of a formula, and at least one of them is not a plain number.
template <class... R>
constexpr bool are_of_formula = (has_numbers<R> && ...) && !(std::is_arithmetic_v<R> && ...);

/// All components in storage order, converted to one type.
template <class... R, std::enable_if_t<are_of_formula<R...>, int> = 0>
NEML2_INLINE constexpr auto
numbers_of(const R &... r)
{
  using T = number_t<std::tuple<R...>>;
  std::array<T, size_t(number_count<std::tuple<R...>>)> x{};
  size_t k = 0;
  (for_each_number(r, [&](const auto & c) { x[k++] = T(c); }), ...);
  return x;
}
} // namespace neml2::kernels
