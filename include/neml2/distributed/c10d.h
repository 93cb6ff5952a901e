// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/autograd.h"

/// Includes c10d, LibTorch's communication between processes; only this header includes c10d.
#ifndef USE_DISTRIBUTED
#error                                                                                             \
    "neml2/distributed needs a LibTorch that was built with c10d (USE_DISTRIBUTED), as LibTorch from pip is. \
CMake's target torch says whether it was; without CMake, compile with -DUSE_DISTRIBUTED."
#endif

#ifndef AT_PER_OPERATOR_HEADERS
#define AT_PER_OPERATOR_HEADERS
#define NEML2_UNDEFINE_AT_PER_OPERATOR_HEADERS
#endif
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#ifdef NEML2_UNDEFINE_AT_PER_OPERATOR_HEADERS
#undef AT_PER_OPERATOR_HEADERS
#undef NEML2_UNDEFINE_AT_PER_OPERATOR_HEADERS
#endif
