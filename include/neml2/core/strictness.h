// SPDX-License-Identifier: MIT
#pragma once

namespace neml2::core
{
/// Whether what is more often a mistake than meant is refused, as in this library, or done. The last parameter of functions of
/// which that holds: those of either kind are different ones, in one program too.
struct Strict
{
  static constexpr bool relaxed = false;
  explicit constexpr Strict(const char *) {}
};
/// A header of this name in a folder before this one relaxes all.
using Strictness = Strict;
} // namespace neml2::core
