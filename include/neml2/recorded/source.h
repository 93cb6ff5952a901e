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

/// The program as text for people: one operation a line.
std::string listing(const Evaluator & e);
} // namespace neml2::recorded

#ifndef NEML2_COMPILED // else the library has the bodies
#include "neml2/recorded/source-inl.h"
#endif
