// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/Evaluator.h"

#include <string>

/// Recorded formulas as source text.
namespace neml2::recorded
{
/**
 * A C++ source that defines the tile loop of a program. It is compiled to a shared library. It includes headers of this library, but not
 * LibTorch's headers. The function neml2_tile_loop(void ** run, int * width) in the shared library returns the loop.
 *
 * Values that depend only on constants and on arguments that are plain numbers are computed once per tile.
 */
std::string cpp_source(const Evaluator & e);

/**
 * A CUDA source that defines the kernel neml2_kernel(KernelArguments) of a program. Its operands are float32 if is_float is true, otherwise
 * float64; it always computes in float64. NVRTC compiles it with headers of this library, and with cuda_standard.h in place of the standard
 * library.
 *
 * A thread computes one row at a time. Values that depend only on constants and on arguments that are plain numbers are computed once per
 * thread. The kernel never sums over rows: for a program with `sums` it writes the value of each row.
 */
std::string cuda_source(const Evaluator & e, bool is_float);
} // namespace neml2::recorded

#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/recorded/source-inl.h"
#endif
