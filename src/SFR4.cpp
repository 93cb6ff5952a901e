// SPDX-License-Identifier: MIT
#include "neml2/math/arithmetic-inl.h"
#include "neml2/tensors/SFR4.h"

namespace neml2::math
{
template struct ElementwiseOn<Plus, SFR4>;
template struct ElementwiseOn<Minus, SFR4>;
template struct ElementwiseOn<Times, SFR4>;
template struct ElementwiseOn<Over, SFR4>;
} // namespace neml2::math
