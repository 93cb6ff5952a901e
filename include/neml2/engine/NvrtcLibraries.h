// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/Nvrtc.h"

namespace neml2::engine
{
/// The names of NVRTC's library, in the order to try them, for drivers of this version of CUDA, such as 12.
std::vector<std::string> nvrtc_names(int driver_major);
} // namespace neml2::engine

#ifndef NEML2_COMPILED // else the library has the bodies
#include "neml2/engine/NvrtcLibraries-inl.h"
#endif
