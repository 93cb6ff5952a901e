// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/misc/string_utils.h" // utils::stringify, and add<SR2>(...), which programs of NEML2 2.x use without another include
#include "neml2/tensors/tensors.h"
// Includes the library's own header of this name: the path contains the folder kernels/, which only the library has.
#include "neml2/kernels/../tensors/LabeledAxis.h"
