// SPDX-License-Identifier: MIT
#pragma once

namespace neml2::core
{
/// Tells whether uses that are mostly mistakes are refused (strict, as in this library) or allowed (relaxed). It is the last parameter
/// of each function that behaves differently in the two cases: a program may contain both versions, which are different functions.
struct Strict
{
  static constexpr bool relaxed = false;
  explicit constexpr Strict(const char *) {}
};
/// To make all these functions relaxed, a program has a header of this name in a folder earlier in the include path.
using Strictness = Strict;
} // namespace neml2::core
