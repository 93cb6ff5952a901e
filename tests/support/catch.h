// SPDX-License-Identifier: MIT
#pragma once

// Only this header includes Catch2: version 3 or 2.13, with version 3's names. Include it last, and
// use REQUIRE: LibTorch also defines a CHECK, which aborts.
#undef CHECK
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
namespace Catch::Matchers
{
inline auto
ContainsSubstring(const std::string & text)
{
  return Contains(text);
}
} // namespace Catch::Matchers
#endif
#undef CHECK
