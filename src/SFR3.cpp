// SPDX-License-Identifier: MIT
#include "neml2/math/arithmetic-inl.h"
#include "neml2/tensors/SFR3.h"

namespace neml2::math
{
template struct ElementwiseOn<Plus, SFR3>;
template struct ElementwiseOn<Minus, SFR3>;
template struct ElementwiseOn<Times, SFR3>;
template struct ElementwiseOn<Over, SFR3>;
} // namespace neml2::math
