// SPDX-License-Identifier: MIT
#include "neml2/gradients/matrix_functions.h"
#include "neml2/tensors/matrix_functions-inl.h"
