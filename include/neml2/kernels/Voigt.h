// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/SSR4.h"

/// Voigt's notation.
namespace neml2::kernels
{
/// Multiplies the shear components by a factor.
template <class T>
NEML2_INLINE constexpr SR2<T>
scale_shear(const SR2<T> & a, double factor)
{
  return {a[0], a[1], a[2], a[3] * factor, a[4] * factor, a[5] * factor};
}

/// Multiplies the rows of shear components by a factor, and then the columns of shear components.
template <class T>
NEML2_INLINE constexpr SSR4<T>
scale_shear(const SSR4<T> & a, double factor)
{
  SSR4<T> r(a);
  NEML2_UNROLL
  for (int i = 0; i < 6; i++)
    NEML2_UNROLL
  for (int j = 0; j < 6; j++)
    if (i >= 3 || j >= 3)
      r(i, j) = a(i, j) * (i >= 3 && j >= 3 ? factor * factor : factor);
  return r;
}
} // namespace neml2::kernels
