// SPDX-License-Identifier: MIT
#include "neml2/gradients/exponential_map.h"
#include "neml2/tensors/exponential_map-inl.h"
