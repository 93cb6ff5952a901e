// SPDX-License-Identifier: MIT
#pragma once

/// Functions on strings, and a function that reads one value from a text. Input files are not part of
/// this library.
#include "neml2/misc/errors.h"
#include "neml2/misc/string_utils.h"
#include "neml2/misc/types.h"

namespace neml2::utils
{
/// Reads a text as a value of type T by operator>>; a bool is written as true or false.
/// @throws ParserException if the text is not exactly one such value.
template <class T>
T
parse(const std::string & text)
{
  std::istringstream stream(text);
  if constexpr (std::is_same_v<T, bool>)
    stream >> std::boolalpha;
  T value;
  if (!(stream >> value) || !(stream >> std::ws).eof())
    throw ParserException("parse: '" + text + "' is not one value of the requested type.");
  return value;
}
template <>
inline std::string
parse<std::string>(const std::string & text)
{
  return text;
}
} // namespace neml2::utils
