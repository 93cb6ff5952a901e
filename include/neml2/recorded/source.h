// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/Evaluator.h"

#include <string>

/// Recorded formulas as source text.
namespace neml2::recorded
{
/**
 * A C++ source that defines the tile loop of a program. It is compiled to a shared library with the headers of this library, but without
 * LibTorch's headers. The function neml2_tile_loop(void ** run, int * width) in the shared library returns the loop.
 *
 * Values that depend only on constants and on arguments that are plain numbers are computed once per tile.
 */
std::string cpp_source(const Evaluator & e);

/**
 * A CUDA source that defines the kernel neml2_kernel(KernelArguments) of a program, for operands of float64, or of float32. NVRTC
 * compiles it with the headers of this library, and with cuda_standard.h in place of the standard library. It computes in float64.
 *
 * A thread computes one row at a time. It computes the values that depend only on constants and on arguments that are plain numbers
 * once for all its rows. For a program with `sums` the kernel does not sum, but writes the value of each row.
 */
std::string cuda_source(const Evaluator & e, bool is_float);
} // namespace neml2::recorded

#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/recorded/source-inl.h"
#endif
