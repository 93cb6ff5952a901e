// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/core/indexing.h"
#include "neml2/core/options.h"
#include "neml2/core/types.h"
#include "neml2/tensors/LabeledAxisAccessor.h" // TensorLabel, TensorLabels, VariableName

#include <string>

namespace neml2
{
// The names of NEML2 1.x.
using TorchSize = Size;
using TorchShape = TensorShape;
using TorchShapeRef = TensorShapeRef;

// What models of NEML2 2.0 read and set. Nothing in this library does.

/// Whether a nonlinear system is being solved; false at first.
NEML2_ONE_A_PROGRAM inline bool &
currently_solving_nonlinear_system()
{
  static bool value = false;
  return value;
}

/// What is between the names of a model and of its buffer; "." at first.
NEML2_ONE_A_PROGRAM inline std::string &
buffer_name_separator()
{
  static std::string value = ".";
  return value;
}

/// What is between the names of a model and of its parameter; "." at first.
NEML2_ONE_A_PROGRAM inline std::string &
parameter_name_separator()
{
  static std::string value = ".";
  return value;
}
} // namespace neml2
