// SPDX-License-Identifier: MIT
#pragma once

// The library needs NaN, infinity and the sign of 0: NaN and infinity mark undefined results, comparisons with NaN choose between
// values, and the sign of 0 determines the sign of infinity. Reordered sums lose NaN, too: (a + b) - b becomes a, even if b is NaN.
// Only gcc defines the last three of these macros.
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0) ||       \
    defined(_M_FP_FAST) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) ||        \
    defined(__NO_SIGNED_ZEROS__)
#error                                                                                             \
    "neml2: -ffast-math, -Ofast, -ffinite-math-only, -funsafe-math-optimizations (or its parts -fassociative-math, -freciprocal-math, -fno-signed-zeros) and /fp:fast give wrong results if a number is NaN or infinite. Compile the sources that include neml2 without them: add -fno-fast-math after these options (with MSVC /fp:precise)."
#endif

/**
 * Defined if NVRTC compiles this header for a GPU. With NVRTC's option -default-device, all functions and constants belong to the device,
 * including the functions of the standard library in recorded/cuda_standard.h.
 */
#ifdef __CUDACC_RTC__
#define NEML2_ON_DEVICE
#endif

/// Marks variables, functions and classes that exist once per program, even if its shared
/// libraries hide their symbols.
#if defined(__GNUC__) || defined(__clang__)
#define NEML2_ONE_A_PROGRAM __attribute__((visibility("default")))
#else
#define NEML2_ONE_A_PROGRAM
#endif

/// Marks the C functions that a shared library exports.
#ifdef _WIN32
#define NEML2_C __declspec(dllexport)
#else
#define NEML2_C __attribute__((visibility("default")))
#endif

/**
 * Marks the functions that a header X-inl.h defines. In header-only programs X.h includes X-inl.h. If NEML2_COMPILED is set, which the
 * target neml2::compiled does, X.h does not include X-inl.h. The library's sources then include X-inl.h: they set NEML2_LIBRARY, too, and
 * define each function once.
 */
#ifdef NEML2_LIBRARY
#define NEML2_BODY
#else
#define NEML2_BODY inline
#endif

/**
 * Marks every function that is part of the formula of a row (one tensor of a batch).
 *
 * The loop over a tile, which is a series of rows (packs/forward_tile.h), is compiled once per instruction set. A formula uses the wide
 * instructions only where it is inlined into this loop, so inlining is requested explicitly. NEML2_RECORDS requests quick compilation
 * instead, for tests and for programs that only record formulas.
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

/// Marks a lambda in the same way; the macro is written after the lambda's parameters.
#ifdef NEML2_RECORDS
#define NEML2_INLINE_LAMBDA
#elif defined(__GNUC__) || defined(NEML2_ON_DEVICE) || defined(__clang__)
#define NEML2_INLINE_LAMBDA __attribute__((always_inline))
#else
#define NEML2_INLINE_LAMBDA
#endif

/// Part of the attribute of a function with a loop: all calls in the function are inlined. With NEML2_KEEPS_CALLS, loops keep their calls
/// and compile quickly. The file must then be compiled with -mavx2 -mfma, so that the called functions use the wide instructions, and with
/// -ffp-contract=off, so that they round products (NEML2_ROUNDS_PRODUCTS).
#ifdef NEML2_KEEPS_CALLS
#define NEML2_FLATTEN
#else
#define NEML2_FLATTEN flatten,
#endif

/**
 * Marks each function that calls a user's formula, because the formula does not request inlining itself. Also marks all functions
 * between the function with the loop over a tile and the formula.
 *
 * With clang, the attribute flatten of the function with the loop does not reach through other functions, so each of them has the
 * attribute. With gcc, the attribute reaches through other functions, but inlines only formulas that gcc has compiled before the loop. When
 * gcc chooses the order of compilation, it ignores calls from functions that are always inlined (gcc 12, ipa_reverse_postorder). With gcc,
 * the functions between the loop and the formula are therefore only `inline`.
 */
#ifdef NEML2_ON_DEVICE
#define NEML2_CALLS_FORMULA __forceinline__
#elif defined(__clang__)
#define NEML2_CALLS_FORMULA inline __attribute__((always_inline, flatten))
#else
#define NEML2_CALLS_FORMULA inline
#endif

/**
 * Unrolls the short loop over components that follows. gcc -O2 would otherwise keep the loop, and would therefore keep the components
 * in memory instead of registers.
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

/// Keeps the following loop from being unrolled. If its body is large and its operands are in memory anyway, the loop compiles several
/// times faster than its unrolled iterations.
#if defined(NEML2_ON_DEVICE)
#define NEML2_KEEP_LOOP _Pragma("unroll 1")
#elif defined(__clang__)
#define NEML2_KEEP_LOOP _Pragma("clang loop unroll(disable)")
#elif defined(__GNUC__)
#define NEML2_KEEP_LOOP _Pragma("GCC unroll 1")
#else
#define NEML2_KEEP_LOOP
#endif

/// A condition that rarely holds: the compiler moves the code that depends on it out of the main path.
#if defined(__GNUC__) || defined(__clang__)
#define NEML2_RARELY(condition) __builtin_expect(condition, 0)
#else
#define NEML2_RARELY(condition) condition
#endif

/// Marks functions that run rarely, or must not be inlined: the compiler moves them out of the main path.
#if defined(__GNUC__) || defined(__clang__)
#define NEML2_COLD __attribute__((noinline, cold))
#else
#define NEML2_COLD
#endif

/// Throws an exception. Devices and exported formulas (recorded/compiled_point.h) have no exceptions: they stop the program instead.
#ifdef NEML2_ON_DEVICE
#define NEML2_THROW(exception) __trap()
#elif defined(NEML2_EXPORTED)
#define NEML2_THROW(exception) __builtin_trap()
#else
#define NEML2_THROW(exception) throw exception
#endif
