// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/inline.h"
#include "neml2/version.h"

#include <atomic>

/**
 * Allows only one version of the library in a program.
 *
 * Functions in the headers of two versions have the same names, and a linker keeps only one of them. Each file that includes the headers
 * therefore compares versions when it is loaded; operations do not compare them. Where symbols are not shared, as between libraries that
 * clang compiled and that are loaded with RTLD_LOCAL, the parts of a program do not see each other, and each part may have its own version.
 */
namespace neml2::core
{
/// The version that was loaded first, as the number 10⁶ major + 10³ minor + patch; 0 before any is loaded. All versions have
/// this variable, so neither its name nor its meaning may change.
NEML2_ONE_A_PROGRAM inline std::atomic<long> version_of_program{0};

/// Aborts the program if it contains another version. neml2::compiled defines this function for its own version only, and
/// cannot be linked with headers of another version. The function is not inlined, so that tools show which version a shared
/// library has.
template <int Major, int Minor, int Patch>
NEML2_ONE_A_PROGRAM NEML2_COLD bool check_only_version();

[[maybe_unused]] static const bool has_only_version =
    check_only_version<NEML2_VERSION_MAJOR, NEML2_VERSION_MINOR, NEML2_VERSION_PATCH>();
} // namespace neml2::core

#ifndef NEML2_COMPILED
#include "neml2/core/only_version-inl.h"
#endif
