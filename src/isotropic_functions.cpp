// SPDX-License-Identifier: MIT
#include "neml2/gradients/isotropic_functions.h"
#include "neml2/tensors/isotropic_functions-inl.h"
