// SPDX-License-Identifier: MIT
#pragma once

namespace neml2::core
{
/// Whether uses that are more often a mistake than intended are refused, as in this library, or allowed. The last parameter of functions
/// that differ in this: the strict and the relaxed one are different functions, within one program too.
struct Strict
{
  static constexpr bool relaxed = false;
  explicit constexpr Strict(const char *) {}
};
/// A header of this name in a folder earlier in the search path relaxes all of them.
using Strictness = Strict;
} // namespace neml2::core
