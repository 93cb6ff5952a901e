// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/fwd.h"

namespace neml2
{
/// The common base of vectors.
template <class Derived>
using VecBase = Derived;
/// The common base of second order tensors.
template <class Derived>
using R2Base = Derived;
} // namespace neml2
