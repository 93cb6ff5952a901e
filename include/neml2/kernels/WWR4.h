// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/R4.h"

namespace neml2::kernels
{
/// One fourth order tensor with two skew pairs of indices.
template <class T>
struct WWR4 : Components<T, 9>
{
  using Components<T, 9>::Components;
  NEML2_INLINE constexpr const T & operator()(int i, int j) const
  {
    return this->v[component_place<3, 3>(i, j)];
  }
};

/// The indices i and j that component a of a skew pair stands for: ij = 21, 02, 10.
constexpr int
skew_row(int a)
{
  return (a + 2) % 3;
}
constexpr int
skew_column(int a)
{
  return (a + 1) % 3;
}

/// T_ijkl - T_jikl - T_ijlk + T_jilk at ij and kl = 21, 02, 10.
template <class T>
NEML2_INLINE constexpr WWR4<T>
skew_by_skew(const R4<T> & t)
{
  WWR4<T> r{Unset()};
  NEML2_UNROLL
  for (int a = 0; a < 3; a++)
    NEML2_UNROLL
  for (int b = 0; b < 3; b++)
  {
    const int i = skew_row(a), j = skew_column(a), k = skew_row(b), l = skew_column(b);
    r[3 * a + b] = (t(i, j, k, l) - t(j, i, k, l)) - (t(i, j, l, k) - t(j, i, l, k));
  }
  return r;
}

/// All 81 components of a tensor that is skew in both pairs.
template <class T>
NEML2_INLINE constexpr R4<T>
full_skew_pairs(const WWR4<T> & w)
{
  R4<T> r;
  NEML2_UNROLL
  for (int a = 0; a < 3; a++)
    NEML2_UNROLL
  for (int b = 0; b < 3; b++)
  {
    const int i = skew_row(a), j = skew_column(a), k = skew_row(b), l = skew_column(b);
    r(i, j, k, l) = r(j, i, l, k) = w[3 * a + b];
    r(j, i, k, l) = r(i, j, l, k) = -w[3 * a + b];
  }
  return r;
}
} // namespace neml2::kernels
