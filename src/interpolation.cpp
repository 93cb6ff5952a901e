// SPDX-License-Identifier: MIT
#include "neml2/tensors/interpolation-inl.h"
