// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Rot.h"

/// Reflections.
namespace neml2::kernels
{
/// The reflection δ_ij - 2 n_i n_j in the plane of unit normal n.
template <class T>
NEML2_INLINE constexpr R2<T>
reflection(const Vec<T> & n)
{
  R2<T> R = -2.0 * outer(n, n);
  for (int i = 0; i < 3; i++)
    R(i, i) = R(i, i) + 1.0;
  return R;
}

/// The rotation by r combined with the reflection in the plane normal to its axis, R_ij - 2 r_i r_j / (r_k r_k).
template <class T>
NEML2_INLINE constexpr R2<T>
improper_rotation(const Rot<T> & r)
{
  R2<T> R = euler_rodrigues(r);
  const T factor = T(2.0 / (r[0] * r[0] + r[1] * r[1] + r[2] * r[2]));
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      R(i, j) = R(i, j) - factor * r[i] * r[j];
  return R;
}
} // namespace neml2::kernels
