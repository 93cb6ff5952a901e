// SPDX-License-Identifier: MIT
#include "neml2/tensors/Voigt-inl.h"

namespace neml2::tensors
{
template SR2 scale_shear(const Operation &, const SR2 &, double);
template SSR4 scale_shear(const Operation &, const SSR4 &, double);
} // namespace neml2::tensors
