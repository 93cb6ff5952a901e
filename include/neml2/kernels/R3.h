// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/R2.h"

namespace neml2::kernels
{
/// One third order tensor, T_ijk at 9i + 3j + k.
template <class T>
struct R3 : Components<T, 27>
{
  using Components<T, 27>::Components;
  NEML2_INLINE constexpr T & operator()(int i, int j, int k)
  {
    return this->v[component_place<3, 3, 3>(i, j, k)];
  }
  NEML2_INLINE constexpr const T & operator()(int i, int j, int k) const
  {
    return this->v[component_place<3, 3, 3>(i, j, k)];
  }
};

/// T_ijk v_k
template <class A, class B>
NEML2_INLINE constexpr R2<product_t<A, B>>
contract_k(const R3<A> & t, const Vec<B> & v)
{
  return matmul<9, 3, 1, R2<product_t<A, B>>>(t, v);
}
} // namespace neml2::kernels
