// SPDX-License-Identifier: MIT
#include "neml2/tensors/gradients.h"
