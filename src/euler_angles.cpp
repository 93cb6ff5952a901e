// SPDX-License-Identifier: MIT
#include "neml2/tensors/euler_angles-inl.h"
