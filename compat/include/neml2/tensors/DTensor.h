// SPDX-License-Identifier: MIT
#pragma once

/// Derivatives are returned as the type of their base shape, or as Tensor: DTensor itself is not
/// part of this library.
#include "neml2/tensors/tensors.h"
