// SPDX-License-Identifier: MIT
#include "neml2/math/arithmetic-inl.h"
#include "neml2/tensors/WFFR4.h"

namespace neml2::math
{
template struct ElementwiseOn<Plus, WFFR4>;
template struct ElementwiseOn<Minus, WFFR4>;
template struct ElementwiseOn<Times, WFFR4>;
template struct ElementwiseOn<Over, WFFR4>;
} // namespace neml2::math
