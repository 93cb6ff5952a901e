// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/Rot.h"
#include "neml2/tensors/Vec.h"
#include "neml2/tensors/WR2.h"
#include "neml2/tensors/tensors_fwd.h"
