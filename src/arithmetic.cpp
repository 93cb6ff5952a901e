// SPDX-License-Identifier: MIT
#include "neml2/math/arithmetic-inl.h"

namespace neml2::math
{
template struct Elementwise<Plus>;
template struct Elementwise<Minus>;
template struct Elementwise<Times>;
template struct Elementwise<Over>;
} // namespace neml2::math
