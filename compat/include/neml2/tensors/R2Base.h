// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/R2.h"
#include "neml2/tensors/tensors_fwd.h"
