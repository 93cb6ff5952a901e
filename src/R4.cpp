// SPDX-License-Identifier: MIT
#include "neml2/gradients/R4.h"
#include "neml2/math/arithmetic-inl.h"
#include "neml2/tensors/R4-inl.h"

namespace neml2
{
template R4::R4(const SSR4 &);
template R4::R4(const WWR4 &);
template R2 operator*(const R4 &, const R2 &);
template R2 operator*(const R2 &, const R4 &);
template R4 operator*(const R4 &, const R4 &);
} // namespace neml2

namespace neml2::math
{
template struct ElementwiseOn<Plus, R4>;
template struct ElementwiseOn<Minus, R4>;
template struct ElementwiseOn<Times, R4>;
template struct ElementwiseOn<Over, R4>;
} // namespace neml2::math
