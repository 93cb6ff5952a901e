// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/fields.h"

#include <utility>

namespace neml2::kernels
{
/// Stands for a number, or for a value of an enumeration, in the initialisation of an aggregate.
struct AnyNumber
{
  template <class T, std::enable_if_t<std::is_arithmetic_v<T> || std::is_enum_v<T>, int> = 0>
  operator T() const;
};

/// The number of fields of an aggregate, up to 16.
template <class F, class... Known>
constexpr size_t
field_count()
{
  if constexpr (sizeof...(Known) < 16 && is_initialised_by<F, void, Known..., AnyField>)
    return field_count<F, Known..., AnyField>();
  else
    return sizeof...(Known);
}

/// Whether an F can be initialised with a number that follows Before fields and precedes After fields.
template <class F, size_t... Before, size_t... After>
constexpr bool
takes_number(std::index_sequence<Before...>, std::index_sequence<After...>)
{
  return is_initialised_by<F,
                           void,
                           std::enable_if_t<Before + 1 != 0, AnyField>...,
                           AnyNumber,
                           std::enable_if_t<After + 1 != 0, AnyField>...>;
}

/// Whether each of the fields is a number. A field that is a number is initialised with one number; a field that is a struct of numbers
/// would accept two.
template <class F, size_t... I>
constexpr bool
are_numbers(std::index_sequence<I...>)
{
  constexpr size_t n = sizeof...(I);
  return ((takes_number<F>(std::make_index_sequence<I>(), std::make_index_sequence<n - 1 - I>()) &&
           !takes_number<F>(std::make_index_sequence<I>(), std::make_index_sequence<n - I>())) &&
          ...);
}

/**
 * Whether a formula holds nothing but plain numbers: it is empty, or a struct of up to 16 fields that are numbers or enumerations. Such a
 * formula may be called after the scope in which it was made has ended, and it has no derivative with respect to its fields. The result is
 * false for a lambda with captures, because its type does not tell whether the captures are references.
 */
template <class F>
constexpr bool
holds_only_numbers()
{
  if constexpr (std::is_empty_v<F>)
    return true;
  else if constexpr (std::is_aggregate_v<F> && std::is_trivially_copy_assignable_v<F>)
    return are_numbers<F>(std::make_index_sequence<field_count<F>()>());
  else
    return false;
}
} // namespace neml2::kernels
