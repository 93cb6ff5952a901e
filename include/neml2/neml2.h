// SPDX-License-Identifier: MIT
#pragma once

/// Everything at once: convenient, and slower to compile than the header of the types you use. Not
/// tensors/gradients.h, which a program includes in one source file.
#include "neml2/math/broadcast.h"
#include "neml2/math/jacobian.h"
#include "neml2/math/vmap_out.h"
#include "neml2/tensors/LabeledAxisPicture.h"
#include "neml2/tensors/LabeledTensor3D.h"
#include "neml2/tensors/tensors.h"
#include "neml2/version.h"
