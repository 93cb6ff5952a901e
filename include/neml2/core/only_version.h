// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/inline.h"
#include "neml2/version.h"

#include <atomic>

/**
 * Only one version of the library in a program.
 *
 * Functions in the headers of two versions have the same names, and linkers take either. Each file that includes the
 * headers therefore compares versions when it is loaded; operations do not. Where symbols are not shared, as by RTLD_LOCAL
 * with clang, parts of a program know nothing of each other, and each may have its version.
 */
namespace neml2::core
{
/// The version loaded first, 10⁶ major + 10³ minor + patch, or 0. All versions have this variable, so neither its
/// name nor its meaning may change.
NEML2_ONE_A_PROGRAM inline std::atomic<long> version_of_program{0};

/// Ends the program if it has another version. neml2::compiled has only the function of its own version, and cannot
/// be linked with headers of another one. Not inlined, so that tools show which version a shared library has.
template <int Major, int Minor, int Patch>
NEML2_ONE_A_PROGRAM NEML2_COLD bool check_only_version();

[[maybe_unused]] static const bool has_only_version =
    check_only_version<NEML2_VERSION_MAJOR, NEML2_VERSION_MINOR, NEML2_VERSION_PATCH>();
} // namespace neml2::core

#ifndef NEML2_COMPILED
#include "neml2/core/only_version-inl.h"
#endif
