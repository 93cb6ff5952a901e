// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/rule.h"
#include "neml2/math/autograd.h"
#include "neml2/tensors/fwd.h"

/// What the headers of this room have in common.
namespace neml2::gradients
{
using namespace core; // the names of lower rooms
using namespace packs;
using namespace engine;
using namespace math;
using namespace tensors;
} // namespace neml2::gradients
