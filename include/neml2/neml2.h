// SPDX-License-Identifier: MIT
#pragma once

/// Everything at once: convenient, and slower to compile than the header of the types you use. Not
/// tensors/gradients.h, which a program includes in one source file.
#include "neml2/math/TensorCache.h"
#include "neml2/math/broadcast.h"
#include "neml2/math/diagonal.h"
#include "neml2/math/difference.h"
#include "neml2/math/discretization.h"
#include "neml2/math/jacobian.h"
#include "neml2/math/jacrev.h"
#include "neml2/math/join.h"
#include "neml2/math/linalg.h"
#include "neml2/math/lists.h"
#include "neml2/math/mandel.h"
#include "neml2/math/reduction.h"
#include "neml2/math/vmap_out.h"
#include "neml2/tensors/LabeledAxisPicture.h"
#include "neml2/tensors/LabeledTensor3D.h"
#include "neml2/tensors/Voigt.h"
#include "neml2/tensors/invariants.h"
#include "neml2/tensors/kinematics.h"
#include "neml2/tensors/kronecker.h"
#include "neml2/tensors/matrix_functions.h"
#include "neml2/tensors/skew_products.h"
#include "neml2/tensors/spectral.h"
#include "neml2/tensors/tensors.h"
#include "neml2/version.h"
