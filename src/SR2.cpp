// SPDX-License-Identifier: MIT
#include "neml2/gradients/SR2.h"
#include "neml2/math/arithmetic-inl.h"
#include "neml2/tensors/SR2-inl.h"

namespace neml2::math
{
template struct ElementwiseOn<Plus, SR2>;
template struct ElementwiseOn<Minus, SR2>;
template struct ElementwiseOn<Times, SR2>;
template struct ElementwiseOn<Over, SR2>;
} // namespace neml2::math
