// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/WWR4.h"

namespace neml2::kernels
{
/// One fourth order tensor with a symmetric, then a skew pair of indices; T_Ia is at 3 I + a.
template <class T>
struct SWR4 : Components<T, 18>
{
  using Components<T, 18>::Components;
  NEML2_INLINE constexpr T & operator()(int i, int j)
  {
    return this->v[component_place<6, 3>(i, j)];
  }
  NEML2_INLINE constexpr const T & operator()(int i, int j) const
  {
    return this->v[component_place<6, 3>(i, j)];
  }
};

/// T_ijkl + T_jikl in Mandel components of ij, at kl = 21, 02, 10.
template <class T>
NEML2_INLINE constexpr SWR4<T>
sym_by_skew(const R4<T> & t)
{
  SWR4<T> r{Unset()};
  NEML2_UNROLL
  for (int p = 0; p < 6; p++)
    NEML2_UNROLL
  for (int a = 0; a < 3; a++)
  {
    const int i = mandel_index[p][0], j = mandel_index[p][1], k = skew_row(a), l = skew_column(a);
    r(p, a) = p < 3 ? T(2.0 * t(i, j, k, l)) : T(sqrt2 * (t(i, j, k, l) + t(j, i, k, l)));
  }
  return r;
}
} // namespace neml2::kernels
