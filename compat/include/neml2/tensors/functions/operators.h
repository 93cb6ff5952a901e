// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/operators.h"
#include "neml2/tensors/tensors.h"
