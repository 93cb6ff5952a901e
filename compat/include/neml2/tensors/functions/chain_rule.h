// SPDX-License-Identifier: MIT
#pragma once

/// Chain rules of models are not part of this library; see math/jacobian.h for derivatives.
#include "neml2/tensors/tensors.h"
