// SPDX-License-Identifier: MIT
#pragma once

/// Everything at once: convenient, and slower to compile than the header of the types you use.
#include "neml2/tensors/tensors.h"
#include "neml2/version.h"
