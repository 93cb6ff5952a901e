// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/macros.h"

#include "neml2/tensors/TensorType.h" // includes the library's own header of the name tensors.h
