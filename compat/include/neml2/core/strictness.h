// SPDX-License-Identifier: MIT
#pragma once

namespace neml2::core
{
/// For programs of NEML2 2.x: calls that the library's own header of this name refuses are allowed, and behave as in
/// NEML2 2.x.
struct Relaxed
{
  static constexpr bool relaxed = true;
  explicit constexpr Relaxed(const char *) {}
};
using Strictness = Relaxed;
} // namespace neml2::core
