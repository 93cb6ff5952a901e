// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/SSR4.h"
#include "neml2/tensors/R2.h"
#include "neml2/tensors/SSR4.h"

namespace neml2::gradients
{
/// The matrix that rotates Mandel components.
template <class T>
NEML2_INLINE kernels::SSR4<T>
mandel_matrix(const kernels::R2<T> & R)
{
  return kernels::mandel_rotation(R);
}
inline SSR4
mandel_matrix(const R2 & R)
{
  return SSR4(composed::mandel_rotation(R));
}

/// Gradient with respect to R, from the gradient Q with respect to mandel_matrix(R): 2 Q_ijkl R_jl.
template <class T>
NEML2_INLINE kernels::R2<T>
by_matrix(const kernels::SSR4<T> & Q, const kernels::R2<T> & R)
{
  kernels::R2<T> r;
  NEML2_UNROLL
  for (int p = 0; p < 6; p++)
    NEML2_UNROLL
  for (int q = 0; q < 6; q++)
  {
    const int i = kernels::mandel_index[p][0], j = kernels::mandel_index[p][1],
              k = kernels::mandel_index[q][0], l = kernels::mandel_index[q][1];
    const double factor = 2 * (p < 3 ? 1 : kernels::invsqrt2) * (q < 3 ? 1 : kernels::invsqrt2);
    const T x = T(Q(p, q) * factor);
    r(i, k) = r(i, k) + x * R(j, l);
    if (p >= 3)
      r(j, k) = r(j, k) + x * R(i, l);
    if (q >= 3)
      r(i, l) = r(i, l) + x * R(j, k);
    if (p >= 3 && q >= 3)
      r(j, l) = r(j, l) + x * R(i, k);
  }
  return r;
}
inline R2
by_matrix(const SSR4 & Q, const R2 & R)
{
  return R2(composed::mandel_rotation_gradient(Q, R));
}
} // namespace neml2::gradients
