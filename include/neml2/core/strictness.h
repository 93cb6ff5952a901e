// SPDX-License-Identifier: MIT
#pragma once

namespace neml2::core
{
/// Tells whether uses that are mostly mistakes are refused (strict, as in this library) or allowed (relaxed). It is the last parameter of
/// each function that behaves differently in the two cases: the two versions are then different functions, and a program may contain both.
struct Strict
{
  static constexpr bool relaxed = false;
  explicit constexpr Strict(const char *) {}
};
/// To make all these functions relaxed, a program provides a header of this name in a folder earlier in the include
/// path.
using Strictness = Strict;
} // namespace neml2::core
