// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/packs/Vector.h"

#include <cstdlib>
#include <string_view>

/// The instruction sets of this machine. Like LibTorch, the library does not use AVX-512 if the environment variable ATEN_CPU_CAPABILITY
/// is "avx2", and neither AVX-512 nor AVX2 if it is "default".
namespace neml2::packs
{
#ifdef NEML2_SIMD
/// Whether the environment allows no more than `capability`.
inline bool
is_limited_to(std::string_view capability)
{
  const char * const asked = std::getenv("ATEN_CPU_CAPABILITY");
  return asked && asked == capability;
}

inline bool
has_avx2()
{
  static const bool yes =
      !is_limited_to("default") && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return yes;
}

inline bool
has_avx512()
{
  static const bool yes = has_avx2() && !is_limited_to("avx2") &&
                          __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512vl");
  return yes;
}
#endif
} // namespace neml2::packs
