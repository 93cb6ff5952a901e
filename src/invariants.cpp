// SPDX-License-Identifier: MIT
#include "neml2/gradients/invariants.h"
#include "neml2/tensors/invariants-inl.h"
