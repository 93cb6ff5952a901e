// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Components.h"

namespace neml2::kernels
{
/// One fourth order tensor of a skew and a symmetric pair, T_aI at 6 a + I.
template <class T>
struct WSR4 : Components<T, 18>
{
  using Components<T, 18>::Components;
  NEML2_INLINE constexpr T & operator()(int i, int j) { return this->v[6 * i + j]; }
  NEML2_INLINE constexpr const T & operator()(int i, int j) const { return this->v[6 * i + j]; }
};
} // namespace neml2::kernels
