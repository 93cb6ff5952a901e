// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/indexing.h"
#include "neml2/core/types.h"
#include "neml2/misc/defaults.h"
#include "neml2/tensors/LabeledAxisAccessor.h" // TensorLabel, TensorLabels, VariableName
#include "neml2/tensors/tensors_fwd.h"

namespace neml2
{
// The names of NEML2 1.x.
using TorchSize = Size;
using TorchShape = TensorShape;
using TorchShapeRef = TensorShapeRef;
} // namespace neml2
