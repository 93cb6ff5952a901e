// SPDX-License-Identifier: MIT
#include "neml2/math/arithmetic-inl.h"
#include "neml2/tensors/WFR4.h"

namespace neml2::math
{
template struct ElementwiseOn<Plus, WFR4>;
template struct ElementwiseOn<Minus, WFR4>;
template struct ElementwiseOn<Times, WFR4>;
template struct ElementwiseOn<Over, WFR4>;
} // namespace neml2::math
