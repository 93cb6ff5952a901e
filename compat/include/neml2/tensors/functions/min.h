// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/reduction.h"
#include "neml2/tensors/functions/dynamic.h"
#include "neml2/tensors/tensors.h"
