// SPDX-License-Identifier: MIT
#include "neml2/tensors/Transformable-inl.h"
