// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/misc/string_utils.h" // utils::stringify, and add<SR2>(...), for which programs of NEML2 2.x include nothing
#include "neml2/tensors/tensors.h"
// The library's own header of this name: there is no kernels/ next to this one.
#include "neml2/kernels/../tensors/LabeledAxis.h"
