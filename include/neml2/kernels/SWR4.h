// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Components.h"

namespace neml2::kernels
{
/// One fourth order tensor of a symmetric and a skew pair, T_Ia at 3 I + a.
template <class T>
struct SWR4 : Components<T, 18>
{
  using Components<T, 18>::Components;
  NEML2_INLINE constexpr T & operator()(int i, int j) { return this->v[3 * i + j]; }
  NEML2_INLINE constexpr const T & operator()(int i, int j) const { return this->v[3 * i + j]; }
};
} // namespace neml2::kernels
