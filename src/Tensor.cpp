// SPDX-License-Identifier: MIT
#include "neml2/core/Tensor.h"
#include "neml2/math/arithmetic-inl.h"
#include "neml2/tensors/Scalar.h"

namespace neml2::math
{
template struct ElementwiseOn<Plus, Tensor>;
template struct ElementwiseOn<Minus, Tensor>;
template struct ElementwiseOn<Times, Tensor>;
template struct ElementwiseOn<Over, Tensor>;
} // namespace neml2::math
