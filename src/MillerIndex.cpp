// SPDX-License-Identifier: MIT
#include "neml2/math/arithmetic-inl.h"
#include "neml2/tensors/MillerIndex-inl.h"

namespace neml2::math
{
template struct ElementwiseOn<Plus, MillerIndex>;
template struct ElementwiseOn<Minus, MillerIndex>;
template struct ElementwiseOn<Times, MillerIndex>;
template struct ElementwiseOn<Over, MillerIndex>;
} // namespace neml2::math
