// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Components.h"

namespace neml2::kernels
{
/// One fifth order tensor with two symmetric pairs of indices, then a full index; T_IJk is at 18 I + 3 J + k.
template <class T>
struct SSFR5 : Components<T, 108>
{
  using Components<T, 108>::Components;
  NEML2_INLINE constexpr T & operator()(int i, int j, int k)
  {
    return this->v[component_place<6, 6, 3>(i, j, k)];
  }
  NEML2_INLINE constexpr const T & operator()(int i, int j, int k) const
  {
    return this->v[component_place<6, 6, 3>(i, j, k)];
  }
};
} // namespace neml2::kernels
