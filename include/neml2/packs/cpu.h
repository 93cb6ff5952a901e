// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/packs/Vector.h"

#include <cstdlib>
#include <cstring>

/// The instruction sets of this machine. Like LibTorch, the library does not use AVX-512 if the environment variable ATEN_CPU_CAPABILITY
/// is "avx2", and neither AVX-512 nor AVX2 if it is "default".
namespace neml2::packs
{
#ifdef NEML2_SIMD
/// Whether the environment allows no more than `capability`.
inline bool
is_limited_to(const char * capability)
{
  const char * const asked = std::getenv("ATEN_CPU_CAPABILITY");
  return asked && std::strcmp(asked, capability) == 0;
}

/// The answer of the function `ask`, which is called only once. A static variable that is initialised with the answer would need the C++
/// library, which exported formulas do not link; with clang, std::atomic would need it, too.
template <bool (*ask)()>
bool
asked_once()
{
  static int answer = -1;
  int found = __atomic_load_n(&answer, __ATOMIC_RELAXED);
  if (found < 0)
  {
    found = ask();
    __atomic_store_n(&answer, found, __ATOMIC_RELAXED);
  }
  return found != 0;
}

inline bool
find_avx2()
{
  return !is_limited_to("default") && __builtin_cpu_supports("avx2") &&
         __builtin_cpu_supports("fma");
}
inline bool
has_avx2()
{
  return asked_once<find_avx2>();
}

inline bool
find_avx512()
{
  return has_avx2() && !is_limited_to("avx2") && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
inline bool
has_avx512()
{
  return asked_once<find_avx512>();
}
#endif
} // namespace neml2::packs
