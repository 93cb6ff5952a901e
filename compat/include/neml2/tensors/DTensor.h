// SPDX-License-Identifier: MIT
#pragma once

/// DTensor itself is not part of this library: derivatives are returned as the type of their base shape,
/// or as Tensor.
#include "neml2/tensors/tensors.h"
