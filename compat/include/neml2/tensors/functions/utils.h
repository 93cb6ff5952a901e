// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/shape_utils.h"
#include "neml2/tensors/tensors.h"
