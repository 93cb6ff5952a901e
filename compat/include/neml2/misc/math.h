// SPDX-License-Identifier: MIT
#pragma once

/// All functions of NEML2 2.0, in the namespace that they had in that release.
#include "neml2/math/binary.h"
#include "neml2/math/diagonal.h"
#include "neml2/math/difference.h"
#include "neml2/math/discretization.h"
#include "neml2/math/elementwise.h"
#include "neml2/math/extremum.h"
#include "neml2/math/invariants.h"
#include "neml2/math/jacrev.h"
#include "neml2/math/join.h"
#include "neml2/math/linalg.h"
#include "neml2/math/mandel.h"
#include "neml2/math/products.h"
#include "neml2/math/reduction.h"
#include "neml2/math/where.h"
#include "neml2/misc/utils.h"
#include "neml2/tensors/ConstantTensors.h"
#include "neml2/tensors/Transformable.h"
#include "neml2/tensors/functions/dynamic.h"
#include "neml2/tensors/functions/imap.h"
#include "neml2/tensors/skew_products.h"
#include "neml2/tensors/spectral.h"
#include "neml2/tensors/tensors.h"

namespace neml2::math
{
using namespace ::neml2;
} // namespace neml2::math
