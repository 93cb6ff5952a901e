// SPDX-License-Identifier: MIT
#include "neml2/math/arithmetic-inl.h"
#include "neml2/tensors/SFFR4.h"

namespace neml2::math
{
template struct ElementwiseOn<Plus, SFFR4>;
template struct ElementwiseOn<Minus, SFFR4>;
template struct ElementwiseOn<Times, SFFR4>;
template struct ElementwiseOn<Over, SFFR4>;
} // namespace neml2::math
