// SPDX-License-Identifier: MIT
#pragma once

/// Every tensor type. Prefer the header of the types you use.
#include "neml2/core/Tensor.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/R3.h"
#include "neml2/tensors/Rot.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/Vec.h"
