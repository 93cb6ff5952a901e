// SPDX-License-Identifier: MIT
#pragma once

// NaN and infinity mark undefined results here, comparisons with NaN choose between values, and the sign of 0 gives that of infinity.
// Associative arithmetic loses NaN, too: (a + b) - b becomes a, also where b is NaN. Only gcc tells of the last three.
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0) ||       \
    defined(_M_FP_FAST) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) ||        \
    defined(__NO_SIGNED_ZEROS__)
#error                                                                                             \
    "neml2: -ffast-math, -Ofast, -ffinite-math-only, -funsafe-math-optimizations (and of it -fassociative-math, -freciprocal-math, -fno-signed-zeros) and /fp:fast give wrong results where there is NaN or infinity. Compile the sources that include neml2 without them: add -fno-fast-math after them (with MSVC /fp:precise)."
#endif

/**
 * Whether this is compiled for a GPU, by NVRTC with the option -default-device, which makes all functions and constants the
 * device's, among them those of the standard library that recorded/cuda_standard.h has.
 */
#ifdef __CUDACC_RTC__
#define NEML2_ON_DEVICE
#endif

/// Marks what exists once per program, also where its shared libraries hide their symbols.
#if defined(__GNUC__) || defined(__clang__)
#define NEML2_ONE_A_PROGRAM __attribute__((visibility("default")))
#else
#define NEML2_ONE_A_PROGRAM
#endif

/// Marks the functions of C that a shared library gives to programs.
#ifdef _WIN32
#define NEML2_C __declspec(dllexport)
#else
#define NEML2_C __attribute__((visibility("default")))
#endif

/**
 * Marks the functions defined in a header X-inl.h, which X.h includes for header-only programs. With
 * NEML2_COMPILED, which the target neml2::compiled sets, X.h does not: the library's sources do, where
 * NEML2_LIBRARY is set too, and define them once.
 */
#ifdef NEML2_LIBRARY
#define NEML2_BODY
#else
#define NEML2_BODY inline
#endif

/**
 * Marks every function that takes part in a row's formula.
 *
 * The driver compiles its loop once for each instruction set; a formula runs with the wide
 * instructions only where it is inlined into that loop, so inlining is asked for, not hoped for.
 * NEML2_RECORDS asks for quick compilation instead: where formulas run only to be recorded, and in tests.
 */
#ifdef NEML2_ON_DEVICE
#define NEML2_INLINE __forceinline__
#elif defined(NEML2_RECORDS)
#define NEML2_INLINE inline
#elif defined(__GNUC__) || defined(__clang__)
#define NEML2_INLINE inline __attribute__((always_inline))
#else
#define NEML2_INLINE inline
#endif

/// Marks a lambda in the same way, behind its parameters.
#ifdef NEML2_RECORDS
#define NEML2_INLINE_LAMBDA
#elif defined(__GNUC__) || defined(NEML2_ON_DEVICE) || defined(__clang__)
#define NEML2_INLINE_LAMBDA __attribute__((always_inline))
#else
#define NEML2_INLINE_LAMBDA
#endif

/**
 * Marks a function that calls a user's formula, which does not ask for inlining itself, and all functions between it and the driver.
 *
 * clang's flatten of the driver does not reach through other functions, so each of them asks for it. gcc's does, but only
 * to formulas that gcc has compiled before the driver, and gcc ignores calls from functions that are always inlined when
 * it chooses the order (gcc 12, ipa_reverse_postorder). So everything between driver and formula is plainly inline there.
 */
#ifdef NEML2_ON_DEVICE
#define NEML2_CALLS_FORMULA __forceinline__
#elif defined(__clang__)
#define NEML2_CALLS_FORMULA inline __attribute__((always_inline, flatten))
#else
#define NEML2_CALLS_FORMULA inline
#endif

/**
 * Unrolls the short loop over components that follows. Without it gcc -O2 keeps the loop, and with
 * it the components in memory instead of in registers.
 */
#ifdef NEML2_RECORDS
#define NEML2_UNROLL
#elif defined(NEML2_ON_DEVICE)
#define NEML2_UNROLL _Pragma("unroll")
#elif defined(__clang__)
#define NEML2_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define NEML2_UNROLL _Pragma("GCC unroll 81")
#else
#define NEML2_UNROLL
#endif

/// Keeps the following loop a loop: with a large body, whose rows are in memory anyway, it compiles several
/// times faster than all of its turns.
#if defined(NEML2_ON_DEVICE)
#define NEML2_KEEP_LOOP _Pragma("unroll 1")
#elif defined(__clang__)
#define NEML2_KEEP_LOOP _Pragma("clang loop unroll(disable)")
#elif defined(__GNUC__)
#define NEML2_KEEP_LOOP _Pragma("GCC unroll 1")
#else
#define NEML2_KEEP_LOOP
#endif

/// A condition that holds where something is wrong: the code that depends on it is kept out of the way.
#if defined(__GNUC__) || defined(__clang__)
#define NEML2_RARELY(condition) __builtin_expect(condition, 0)
#else
#define NEML2_RARELY(condition) condition
#endif

/// Marks code that runs once, or only when something is wrong: it is kept out of the way of everything else.
#if defined(__GNUC__) || defined(__clang__)
#define NEML2_COLD __attribute__((noinline, cold))
#else
#define NEML2_COLD
#endif

/// Throws an exception; a device, and an exported formula (recorded/compiled_point.h), which have none, stop instead.
#ifdef NEML2_ON_DEVICE
#define NEML2_THROW(exception) __trap()
#elif defined(NEML2_EXPORTED)
#define NEML2_THROW(exception) __builtin_trap()
#else
#define NEML2_THROW(exception) throw exception
#endif
