// SPDX-License-Identifier: MIT
// The derivative rules, once in this program: without them autograd differentiates whole batches
// operation by operation.
#include "neml2/tensors/gradients.h"
