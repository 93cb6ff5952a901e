// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/operators.h"
#include "neml2/tensors/tensors.h"
