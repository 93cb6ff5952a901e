// SPDX-License-Identifier: MIT
#include "neml2/gradients/R2.h"
#include "neml2/math/arithmetic-inl.h"
#include "neml2/tensors/R2-inl.h"

namespace neml2
{
template R2 operator*(const R2 &, const R2 &);
template Vec operator*(const R2 &, const Vec &);
} // namespace neml2

namespace neml2::math
{
template struct ElementwiseOn<Plus, R2>;
template struct ElementwiseOn<Minus, R2>;
template struct ElementwiseOn<Times, R2>;
template struct ElementwiseOn<Over, R2>;
} // namespace neml2::math
