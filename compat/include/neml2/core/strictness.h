// SPDX-License-Identifier: MIT
#pragma once

namespace neml2::core
{
/// Programs of NEML2 2.x: what the library's own header of this name refuses is done as those releases did it.
struct Relaxed
{
  static constexpr bool relaxed = true;
  explicit constexpr Relaxed(const char *) {}
};
using Strictness = Relaxed;
} // namespace neml2::core
