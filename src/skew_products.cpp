// SPDX-License-Identifier: MIT
#include "neml2/gradients/skew_products.h"
#include "neml2/tensors/skew_products-inl.h"
