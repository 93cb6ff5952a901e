// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Components.h"

namespace neml2::kernels
{
/// One fourth order tensor with a symmetric pair of indices, then two full indices.
template <class T>
struct SFFR4 : Components<T, 54>
{
  using Components<T, 54>::Components;
  NEML2_INLINE constexpr const T & operator()(int i, int j, int k) const
  {
    return this->v[component_place<6, 3, 3>(i, j, k)];
  }
};
} // namespace neml2::kernels
