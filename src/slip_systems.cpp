// SPDX-License-Identifier: MIT
#include "neml2/tensors/slip_systems-inl.h"
