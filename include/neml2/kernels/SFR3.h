// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Components.h"

namespace neml2::kernels
{
/// One third order tensor with a symmetric pair of indices, then a full index.
template <class T>
struct SFR3 : Components<T, 18>
{
  using Components<T, 18>::Components;
  NEML2_INLINE constexpr const T & operator()(int i, int j) const
  {
    return this->v[component_place<6, 3>(i, j)];
  }
};
} // namespace neml2::kernels
