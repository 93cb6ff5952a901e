// SPDX-License-Identifier: MIT
#include "neml2/tensors/LabeledMatrix-inl.h"
#include "neml2/tensors/LabeledTensor3D-inl.h"
#include "neml2/tensors/LabeledVariables-inl.h"
#include "neml2/tensors/LabeledVector-inl.h"
