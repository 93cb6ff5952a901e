// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/TileText.h"

/// C++ formulas as source text for a device.
namespace neml2::recorded
{
/// The exact value of a number as C++ text.
std::string number_text(double x);
inline std::string
number_text(bool x)
{
  return x ? "true" : "false";
}
inline std::string
number_text(int x)
{
  return std::to_string(x);
}

/// Like cuda_source of an Evaluator: a source of the kernel neml2_kernel, for operands of float64 or float32, which includes
/// recorded/cuda_formula.h.
/// @throws std::invalid_argument if two definitions in the text have the same name.
std::string cuda_source(const TileText & t, bool is_float);
} // namespace neml2::recorded

#ifndef NEML2_COMPILED // otherwise the library has the bodies
#include "neml2/recorded/tile_source-inl.h"
#endif
