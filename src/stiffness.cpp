// SPDX-License-Identifier: MIT
#include "neml2/gradients/stiffness.h"
#include "neml2/tensors/stiffness-inl.h"
