// SPDX-License-Identifier: MIT
#include "neml2/math/arithmetic-inl.h"
#include "neml2/tensors/SSFR5.h"

namespace neml2::math
{
template struct ElementwiseOn<Plus, SSFR5>;
template struct ElementwiseOn<Minus, SSFR5>;
template struct ElementwiseOn<Times, SSFR5>;
template struct ElementwiseOn<Over, SSFR5>;
} // namespace neml2::math
