// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Components.h"

namespace neml2::kernels
{
/// One third order tensor, T_ijk at 9i + 3j + k.
template <class T>
struct R3 : Components<T, 27>
{
  using Components<T, 27>::Components;
  NEML2_INLINE constexpr T & operator()(int i, int j, int k) { return this->v[9 * i + 3 * j + k]; }
  NEML2_INLINE constexpr const T & operator()(int i, int j, int k) const
  {
    return this->v[9 * i + 3 * j + k];
  }
};
} // namespace neml2::kernels
