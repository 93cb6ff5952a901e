// SPDX-License-Identifier: MIT
#include "neml2/math/arithmetic-inl.h"
#include "neml2/tensors/R5.h"

namespace neml2::math
{
template struct ElementwiseOn<Plus, R5>;
template struct ElementwiseOn<Minus, R5>;
template struct ElementwiseOn<Times, R5>;
template struct ElementwiseOn<Over, R5>;
} // namespace neml2::math
