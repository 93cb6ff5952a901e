// SPDX-License-Identifier: MIT
#include "neml2/math/arithmetic-inl.h"
#include "neml2/tensors/SWR4-inl.h"

namespace neml2
{
template SWR4::SWR4(const R4 &);
} // namespace neml2

namespace neml2::math
{
template struct ElementwiseOn<Plus, SWR4>;
template struct ElementwiseOn<Minus, SWR4>;
template struct ElementwiseOn<Times, SWR4>;
template struct ElementwiseOn<Over, SWR4>;
} // namespace neml2::math
