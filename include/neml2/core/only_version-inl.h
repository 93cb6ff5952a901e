// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/only_version.h"

#include <cstdio>
#include <cstdlib>

namespace neml2::core
{
template <int Major, int Minor, int Patch>
bool
check_only_version()
{
  constexpr long here = Major * 1000000L + Minor * 1000L + Patch;
  long first = 0;
  if (version_of_program.compare_exchange_strong(first, here) || first == here)
    return true;
  std::fprintf(
      stderr,
      "neml2: two versions in one program: this file is compiled with the headers of version "
      "%d.%d.%d, but a file loaded earlier with those of %ld.%ld.%ld. Compile all of it with one "
      "version; nm -DC <library> | grep check_only_version says which a shared library has.\n",
      Major,
      Minor,
      Patch,
      first / 1000000,
      first / 1000 % 1000,
      first % 1000);
  std::abort(); // nothing could catch an exception: this code runs inside dlopen or before main
}
} // namespace neml2::core
