// SPDX-License-Identifier: MIT
#include "neml2/gradients/WR2.h"
#include "neml2/math/arithmetic-inl.h"
#include "neml2/tensors/WR2-inl.h"

namespace neml2::math
{
template struct ElementwiseOn<Plus, WR2>;
template struct ElementwiseOn<Minus, WR2>;
template struct ElementwiseOn<Times, WR2>;
template struct ElementwiseOn<Over, WR2>;
} // namespace neml2::math
