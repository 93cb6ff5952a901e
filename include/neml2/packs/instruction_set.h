// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/packs/Pack.h"

/**
 * The choice of the instruction set.
 *
 * On x86-64 with gcc or clang the loop over a tile is compiled twice, for AVX2+FMA (packs of four rows)
 * and for the baseline (two: wider ones are lowered badly), and one is chosen when the program runs.
 * Everywhere else it is compiled once, for packs of one row.
 */
namespace neml2::packs
{
#ifdef NEML2_SIMD
inline bool
has_avx2()
{
  static const bool yes = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return yes;
}

// flatten: the whole formula, lambdas included, is inlined here and so compiled for this target.
template <class Body, class... Args>
__attribute__((target("avx2,fma"), flatten, noinline)) void
run_avx2(Args... args)
{
  Body::template run<Pack<4>>(args...);
}

template <class Body, class... Args>
__attribute__((flatten, noinline)) void
run_baseline(Args... args)
{
  Body::template run<Pack<Body::baseline_width>>(args...);
}
#else
template <class Body, class... Args>
void
run_plain(Args... args)
{
  Body::template run<Pack<1>>(args...);
}
#endif

/// A function compiled for one instruction set, and how many rows its packs hold. The two travel
/// together: a program may mix translation units with and without optimisation.
template <class... Args>
struct Compiled
{
  void (*run)(Args...);
  int width;
};

/// Body::run<Pack>(args...), compiled for the best instruction set of this machine.
template <class Body, class... Args>
Compiled<Args...>
compiled()
{
#ifdef NEML2_SIMD
  if (has_avx2())
    return {run_avx2<Body, Args...>, 4};
  return {run_baseline<Body, Args...>, Body::baseline_width};
#else
  return {run_plain<Body, Args...>, 1};
#endif
}
} // namespace neml2::packs
