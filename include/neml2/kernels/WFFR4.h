// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Components.h"

namespace neml2::kernels
{
/// One fourth order tensor with a skew pair of indices, then two full indices.
template <class T>
struct WFFR4 : Components<T, 27>
{
  using Components<T, 27>::Components;
  NEML2_INLINE constexpr const T & operator()(int i, int j, int k) const
  {
    return this->v[component_place<3, 3, 3>(i, j, k)];
  }
};
} // namespace neml2::kernels
