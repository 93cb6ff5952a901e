// SPDX-License-Identifier: MIT
#include "neml2/tensors/crystallography-inl.h"
