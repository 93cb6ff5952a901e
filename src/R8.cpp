// SPDX-License-Identifier: MIT
#include "neml2/math/arithmetic-inl.h"
#include "neml2/tensors/R8.h"

namespace neml2::math
{
template struct ElementwiseOn<Plus, R8>;
template struct ElementwiseOn<Minus, R8>;
template struct ElementwiseOn<Times, R8>;
template struct ElementwiseOn<Over, R8>;
} // namespace neml2::math
