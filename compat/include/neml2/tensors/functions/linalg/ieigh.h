// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/spectral.h"
#include "neml2/tensors/tensors.h"
