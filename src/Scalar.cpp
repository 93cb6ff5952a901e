// SPDX-License-Identifier: MIT
#include "neml2/math/arithmetic-inl.h"
#include "neml2/tensors/Scalar-inl.h"

namespace neml2::math
{
template struct ElementwiseOn<Plus, Scalar>;
template struct ElementwiseOn<Minus, Scalar>;
template struct ElementwiseOn<Times, Scalar>;
template struct ElementwiseOn<Over, Scalar>;
} // namespace neml2::math
