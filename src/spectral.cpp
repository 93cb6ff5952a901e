// SPDX-License-Identifier: MIT
#include "neml2/gradients/spectral.h"
#include "neml2/tensors/spectral-inl.h"
