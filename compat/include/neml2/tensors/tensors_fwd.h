// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/fwd.h"

namespace neml2
{
/// In NEML2 2.x the common base of vectors; here the type itself.
template <class Derived>
using VecBase = Derived;
/// In NEML2 2.x the common base of second order tensors; here the type itself.
template <class Derived>
using R2Base = Derived;
} // namespace neml2
