// SPDX-License-Identifier: MIT
#pragma once

/// The headers that programs of NEML2 2.x get with each type, whichever header they include.
// Includes the library's own header of this name: the path contains the folder kernels/, which only the library has.
#include "neml2/kernels/../core/Tensor.h"
#include "neml2/misc/defaults.h"
#include "neml2/misc/errors.h"
#include "neml2/tensors/assertions.h"
#include "neml2/tensors/shape_utils.h"
#include "neml2/tensors/tensors_fwd.h"
