// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/WWR4.h"

namespace neml2::kernels
{
/// One fourth order tensor with a skew, then a symmetric pair of indices; T_aI is at 6 a + I.
template <class T>
struct WSR4 : Components<T, 18>
{
  using Components<T, 18>::Components;
  NEML2_INLINE constexpr T & operator()(int i, int j)
  {
    return this->v[component_place<3, 6>(i, j)];
  }
  NEML2_INLINE constexpr const T & operator()(int i, int j) const
  {
    return this->v[component_place<3, 6>(i, j)];
  }
};

/// (T_ijkl + T_ijlk) / 2 at ij = 21, 02, 10, in Mandel components of kl.
template <class T>
NEML2_INLINE constexpr WSR4<T>
skew_by_sym(const R4<T> & t)
{
  WSR4<T> r{Unset()};
  NEML2_UNROLL
  for (int a = 0; a < 3; a++)
    NEML2_UNROLL
  for (int p = 0; p < 6; p++)
  {
    const int i = skew_row(a), j = skew_column(a), k = mandel_index[p][0], l = mandel_index[p][1];
    r(a, p) = p < 3 ? t(i, j, k, l) : T(invsqrt2 * (t(i, j, k, l) + t(i, j, l, k)));
  }
  return r;
}
} // namespace neml2::kernels
