// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/interpreter.h"

#include <string>

/// Recorded formulas as source text.
namespace neml2::recorded
{
/**
 * A C++ source that defines the tile loop of a program: compiled to a shared library with the headers of this one, LibTorch's
 * not needed, its function neml2_tile_loop(void ** run, int * width) gives the loop.
 *
 * What depends on nothing but constants and the arguments that are numbers is computed once a tile.
 */
std::string cpp_source(const Evaluator & e);

/**
 * A CUDA source that defines a program's kernel neml2_kernel(KernelArguments), of operands of float64, or of float32: compiled by
 * NVRTC with the headers of this library, and those of cuda_standard.h for the standard library's. It computes in float64.
 *
 * A thread computes a row. What depends on nothing but constants and the arguments that are numbers, a thread computes once. Of a
 * program with `sums` it gives what is to be summed.
 */
std::string cuda_source(const Evaluator & e, bool is_float);
} // namespace neml2::recorded

#ifndef NEML2_COMPILED // else the library has the bodies
#include "neml2/recorded/source-inl.h"
#endif
