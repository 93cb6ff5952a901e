// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/shape.h"
#include "neml2/tensors/tensors.h"
