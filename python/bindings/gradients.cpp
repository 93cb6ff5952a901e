// SPDX-License-Identifier: MIT
// Registers the derivative rules of the operations. Without these rules autograd differentiates whole batches operation by operation.
#include "neml2/tensors/gradients.h"
