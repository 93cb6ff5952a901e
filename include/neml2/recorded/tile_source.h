// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/TileText.h"

#include <string>

/// Operations of the library as source text for a CUDA device.
namespace neml2::recorded
{
/// The source of an operation's kernel. It defines neml2_kernel and includes recorded/cuda_operation.h. The operands are float32 if
/// is_float is true, otherwise float64.
std::string cuda_source(const TileText & t, bool is_float);
} // namespace neml2::recorded

#ifndef NEML2_COMPILED // with NEML2_COMPILED the library contains the bodies
#include "neml2/recorded/tile_source-inl.h"
#endif
