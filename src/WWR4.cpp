// SPDX-License-Identifier: MIT
#include "neml2/math/arithmetic-inl.h"
#include "neml2/tensors/WWR4-inl.h"

namespace neml2
{
template WWR4::WWR4(const R4 &);
} // namespace neml2

namespace neml2::math
{
template struct ElementwiseOn<Plus, WWR4>;
template struct ElementwiseOn<Minus, WWR4>;
template struct ElementwiseOn<Times, WWR4>;
template struct ElementwiseOn<Over, WWR4>;
} // namespace neml2::math
