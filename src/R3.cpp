// SPDX-License-Identifier: MIT
#include "neml2/math/arithmetic-inl.h"
#include "neml2/tensors/R3-inl.h"

namespace neml2::math
{
template struct ElementwiseOn<Plus, R3>;
template struct ElementwiseOn<Minus, R3>;
template struct ElementwiseOn<Times, R3>;
template struct ElementwiseOn<Over, R3>;
} // namespace neml2::math
