// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/packs/multiply_add.h"

/**
 * The choice of the instruction set.
 *
 * On x86-64 with gcc or clang the loop over a tile (a series of rows) is compiled for AVX2+FMA, with packs of four rows. If rows are single
 * numbers, it is also compiled for AVX-512, with packs of eight rows. The CMake targets define NEML2_AVX512 in the configuration Release.
 * If it is defined, formulas of the caller and operations that gain from AVX-512 also have a loop for AVX-512; compiling both loops takes
 * up to 1.5 times as long as compiling one. A machine without AVX2 runs operations as calls of LibTorch, and recorded formulas one row at a
 * time. On other targets the loop is compiled once, for packs of one row.
 */
namespace neml2::packs
{
#ifdef NEML2_AVX512
constexpr bool with_avx512 = true;
#else
constexpr bool with_avx512 = false;
#endif

/// Whether this file may have loops for AVX-512. The functions that such a loop calls must be compiled for AVX-512, too, or be inlined.
#if defined(NEML2_KEEPS_CALLS) && !defined(__AVX512F__)
constexpr bool may_be_wide = false;
#else
constexpr bool may_be_wide = true;
#endif

/// The base of the formulas of operations that are more than a tenth faster on packs of eight rows than on packs of four. Most operations
/// are not faster: packs of eight take more than twice as long to transpose, so only formulas with much arithmetic gain.
struct GainsFromAvx512
{
};
/// Whether F gains on rows of types A; specialised for operations that gain for some types only.
template <class F, class... A>
constexpr bool gains_from_avx512 = std::is_base_of_v<GainsFromAvx512, F>;

/// The formula F, which gains from AVX-512.
template <class F>
struct Wide : F, GainsFromAvx512
{
  explicit Wide(const F & f) : F(f) {}
};

/// Whether the library's operations have a loop for this machine.
inline bool
has_loop()
{
#ifdef NEML2_SIMD
  return has_avx2();
#else
  return true;
#endif
}

#ifdef NEML2_SIMD
// flatten inlines the whole formula with its lambdas, so that it is compiled for this target.
template <class Body, class... Args>
__attribute__((target("avx2,fma"), NEML2_FLATTEN noinline)) void
run_avx2(Args... args)
{
  Body::template run<Pack<4>>(args...);
}
template <class Body, class... Args>
__attribute__((target("avx2,fma"), NEML2_FLATTEN noinline)) NEML2_ROUNDS_PRODUCTS void
run_avx2_rounding(Args... args)
{
  Body::template run<Pack<4>>(args...);
}

template <class Body, class... Args>
__attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma"), NEML2_FLATTEN noinline)) void
run_avx512(Args... args)
{
  Body::template run<Pack<8>>(args...);
}
template <class Body, class... Args>
__attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma"), NEML2_FLATTEN noinline))
NEML2_ROUNDS_PRODUCTS void
run_avx512_rounding(Args... args)
{
  Body::template run<Pack<8>>(args...);
}
#endif

template <class Body, class... Args>
void
run_plain(Args... args)
{
  Body::template run<Pack<1>>(args...);
}
template <class Body, class... Args>
NEML2_ROUNDS_PRODUCTS void
run_plain_rounding(Args... args)
{
  Body::template run<Pack<1>>(args...);
}

/// Whether a product and a sum in Body may be contracted into a fused multiply-add: true for operations of the library, false for
/// formulas of the caller.
template <class Body, class = void>
constexpr bool may_join_products = false;
template <class Body>
constexpr bool may_join_products<Body, std::void_t<decltype(Body::may_join_products)>> =
    Body::may_join_products;

/// Whether Body also has a loop for machines without AVX2, in a program whose other loops are for
/// AVX2.
template <class Body, class = void>
constexpr bool runs_on_any_machine = false;
template <class Body>
constexpr bool runs_on_any_machine<Body, std::void_t<decltype(Body::runs_on_any_machine)>> =
    Body::runs_on_any_machine;

/// Whether Body has a loop for AVX-512 where NEML2_AVX512 is defined.
template <class Body, class = void>
constexpr bool is_wide = true;
template <class Body>
constexpr bool is_wide<Body, std::void_t<decltype(Body::is_wide)>> = Body::is_wide;

/// A function compiled for one instruction set (null if there is none for this machine), and the number of rows in its packs. The two
/// are kept together, because a program may mix translation units with and without optimisation.
template <class... Args>
struct Compiled
{
  void (*run)(Args...);
  int width;
};

/// Body::run<Pack>(args...), compiled for the best instruction set of this machine for which a loop exists;
/// Body::is_numbers says whether the rows of Body are single numbers.
template <class Body, class... Args>
Compiled<Args...>
compiled()
{
#ifdef NEML2_SIMD
  if constexpr (may_be_wide && (Body::is_numbers || (with_avx512 && is_wide<Body>)))
    if (has_avx512() && (with_avx512 || sleef::has_widest()))
    {
      if constexpr (may_join_products<Body>)
        return {run_avx512<Body, Args...>, 8};
      else
        return {run_avx512_rounding<Body, Args...>, 8};
    }
  if (has_avx2())
  {
    if constexpr (may_join_products<Body>)
      return {run_avx2<Body, Args...>, 4};
    else
      return {run_avx2_rounding<Body, Args...>, 4};
  }
  constexpr bool has_plain = runs_on_any_machine<Body>;
#else
  constexpr bool has_plain = true;
#endif
  if constexpr (!has_plain)
    return {nullptr, 1};
  else if constexpr (may_join_products<Body>)
    return {run_plain<Body, Args...>, 1};
  else
    return {run_plain_rounding<Body, Args...>, 1};
}
} // namespace neml2::packs
