// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Rot.h"

namespace neml2::kernels
{
/// One skew second order tensor, stored as its axial vector: W_ij = -ε_ijk w_k.
template <class T>
struct WR2 : Components<T, 3>
{
  using Components<T, 3>::Components;
  using Components<T, 3>::operator();
  /// Component W_ij of the tensor.
  NEML2_INLINE constexpr T operator()(int i, int j) const
  {
    const int p = component_index(i, 3), q = component_index(j, 3);
    if (p == q)
      return T(0.0);
    const T & w = this->v[3 - p - q];
    return (p - q + 3) % 3 == 1 ? w : T(-w);
  }
};

/// All nine components W_ij.
template <class T>
NEML2_INLINE constexpr R2<T>
full(const WR2<T> & w)
{
  return skew(Vec<T>(w[0], w[1], w[2]));
}

/// W_ji, which is -W_ij
template <class T>
NEML2_INLINE constexpr WR2<T>
transpose(const WR2<T> & w)
{
  return -w;
}

/// Skew part (A_ij - A_ji) / 2
template <class T>
NEML2_INLINE constexpr WR2<T>
skew_part(const R2<T> & A)
{
  return {0.5 * (A(2, 1) - A(1, 2)), 0.5 * (A(0, 2) - A(2, 0)), 0.5 * (A(1, 0) - A(0, 1))};
}

/// R_ij w_j
template <class A, class B>
NEML2_INLINE constexpr WR2<product_t<A, B>>
rotate(const WR2<A> & w, const R2<B> & R)
{
  return matmul<3, 3, 1, WR2<product_t<A, B>>>(R, w);
}
} // namespace neml2::kernels
