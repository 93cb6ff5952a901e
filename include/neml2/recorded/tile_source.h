// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/TileText.h"

#include <string>

/// Operations of the library as source text for a device.
namespace neml2::recorded
{
/// Like cuda_source of an Evaluator: a source of the kernel neml2_kernel, for operands of float64 or float32, which includes
/// recorded/cuda_operation.h.
std::string cuda_source(const TileText & t, bool is_float);
} // namespace neml2::recorded

#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/recorded/tile_source-inl.h"
#endif
