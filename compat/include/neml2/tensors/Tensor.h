// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/Tensor.h"
#include "neml2/misc/math.h"
