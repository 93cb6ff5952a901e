// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/TileSource.h"
#include "neml2/recorded/tile_source.h"

#include <array>
#include <tuple>

/// Formulas with their source text, made by NEML2_FORMULA.
namespace neml2::engine
{
/// A formula F and its source text.
template <class F, class TextOfIt>
struct KeptFormula : F
{
  using Text = TextOfIt;
  static_assert(std::is_empty_v<F>,
                "NEML2_FORMULA: the formula must not capture: a device has its text only. Pass "
                "parameters as arguments, and list constants by NEML2_FORMULA_USING");

  constexpr explicit KeptFormula(const F & f) : F(f) {}
};
template <class Text, class F>
constexpr KeptFormula<F, Text>
kept_formula(const F & f)
{
  return KeptFormula<F, Text>(f);
}

struct UsesNothing
{
  static constexpr void (*define)(recorded::Definitions &) = nullptr;
};

template <class T>
constexpr bool is_array = false;
template <class T, size_t n>
constexpr bool is_array<std::array<T, n>> = std::is_arithmetic_v<T>;

/// Defines a name that a formula uses: a formula with source text, a number, or an array of
/// numbers.
template <class T>
void
define_one(recorded::Definitions & all, const std::string & name, const T & x)
{
  static_assert(
      TextOf<T>::exists || std::is_arithmetic_v<T> || is_array<T>,
      "NEML2_FORMULA_USING: list only formulas with a text, numbers and std::arrays of numbers");
  const auto number = [](auto v)
  {
    if constexpr (std::is_floating_point_v<decltype(v)>)
      return recorded::number_text(double(v));
    else if constexpr (std::is_same_v<decltype(v), bool>)
      return recorded::number_text(v);
    else
      return recorded::number_text(int(v));
  };
  if constexpr (std::is_arithmetic_v<T>)
    all.push_back({name, number(x)});
  else if constexpr (is_array<T>)
  {
    std::string text;
    for (const auto & v : x)
      text += (text.empty() ? "" : ", ") + number(v);
    constexpr bool is_of_floats = std::is_floating_point_v<typename T::value_type>;
    all.push_back({name,
                   std::string(is_of_floats ? "std::array<double, " : "std::array<int, ") +
                       std::to_string(x.size()) + ">{{" + text + "}}"});
  }
  else if constexpr (TextOf<T>::exists)
  {
    if (TextOf<T>::text.define)
      TextOf<T>::text.define(all);
    all.push_back({name, TextOf<T>::text.text});
  }
}

/// Defines the values by their names, which are separated by commas.
template <class... T>
void
define_used(recorded::Definitions & all, const std::string & names, const std::tuple<T...> & values)
{
  std::vector<std::string> each;
  std::string name;
  for (const char c : names + ',')
    if (c == ',')
    {
      each.push_back(name);
      name.clear();
    }
    else if (c != ' ')
      name += c;
  size_t k = 0;
  std::apply([&](const T &... x) { (define_one(all, each[k++], x), ...); }, values);
}
} // namespace neml2::engine
