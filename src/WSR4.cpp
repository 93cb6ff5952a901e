// SPDX-License-Identifier: MIT
#include "neml2/math/arithmetic-inl.h"
#include "neml2/tensors/WSR4-inl.h"

namespace neml2
{
template WSR4::WSR4(const R4 &);
} // namespace neml2

namespace neml2::math
{
template struct ElementwiseOn<Plus, WSR4>;
template struct ElementwiseOn<Minus, WSR4>;
template struct ElementwiseOn<Times, WSR4>;
template struct ElementwiseOn<Over, WSR4>;
} // namespace neml2::math
