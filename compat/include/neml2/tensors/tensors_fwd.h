// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/fwd.h"

namespace neml2
{
/// What vectors had in common.
template <class Derived>
using VecBase = Derived;
/// What second order tensors had in common.
template <class Derived>
using R2Base = Derived;
} // namespace neml2
