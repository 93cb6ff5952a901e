// SPDX-License-Identifier: MIT
#include "neml2/math/arithmetic-inl.h"
#include "neml2/tensors/SSSSR8.h"

namespace neml2::math
{
template struct ElementwiseOn<Plus, SSSSR8>;
template struct ElementwiseOn<Minus, SSSSR8>;
template struct ElementwiseOn<Times, SSSSR8>;
template struct ElementwiseOn<Over, SSSSR8>;
} // namespace neml2::math
