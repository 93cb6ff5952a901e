// SPDX-License-Identifier: MIT
#include "neml2/gradients/SSR4.h"
#include "neml2/math/arithmetic-inl.h"
#include "neml2/tensors/SSR4-inl.h"

namespace neml2
{
template SSR4::SSR4(const R4 &);
template SR2 operator*(const SSR4 &, const SR2 &);
template SR2 operator*(const SSR4 &, const R2 &);
template SR2 operator*(const SR2 &, const SSR4 &);
template SSR4 operator*(const SSR4 &, const SSR4 &);
} // namespace neml2

namespace neml2::math
{
template struct ElementwiseOn<Plus, SSR4>;
template struct ElementwiseOn<Minus, SSR4>;
template struct ElementwiseOn<Times, SSR4>;
template struct ElementwiseOn<Over, SSR4>;
} // namespace neml2::math
