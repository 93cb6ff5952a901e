// SPDX-License-Identifier: MIT
#include "neml2/gradients/kinematics.h"
#include "neml2/tensors/kinematics-inl.h"
