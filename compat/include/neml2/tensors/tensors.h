// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/macros.h"

// The library's own header of this name: there is no core/ next to this one.
#include "neml2/core/../tensors/tensors.h"
