// SPDX-License-Identifier: MIT
#pragma once

/**
 * Marks every function that takes part in a row's formula.
 *
 * The driver compiles its loop once for each instruction set; a formula runs with the wide
 * instructions only where it is inlined into that loop, so inlining is asked for, not hoped for.
 */
#if defined(__GNUC__) || defined(__clang__)
#define NEML2_INLINE inline __attribute__((always_inline))
#else
#define NEML2_INLINE inline
#endif

/**
 * Unrolls the short loop over components that follows. Without it gcc -O2 keeps the loop, and with
 * it the components in memory instead of in registers.
 */
#if defined(__clang__)
#define NEML2_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define NEML2_UNROLL _Pragma("GCC unroll 81")
#else
#define NEML2_UNROLL
#endif
