// SPDX-License-Identifier: MIT
// The derivative rules, once in this program: without them autograd takes whole batches apart.
#include "neml2/tensors/gradients.h"
