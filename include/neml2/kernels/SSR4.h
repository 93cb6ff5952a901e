// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/SR2.h"

namespace neml2::kernels
{
/// One fourth order tensor with both minor symmetries: Mandel components, C_IJ at 6 I + J.
template <class T>
struct SSR4 : Components<T, 36>
{
  using Components<T, 36>::Components;
  NEML2_INLINE constexpr T & operator()(int i, int j) { return this->v[6 * i + j]; }
  NEML2_INLINE constexpr const T & operator()(int i, int j) const { return this->v[6 * i + j]; }
};

/// C_ijkl e_kl
template <class A, class B>
NEML2_INLINE constexpr SR2<product_t<A, B>>
operator*(const SSR4<A> & C, const SR2<B> & e)
{
  return matmul<6, 6, 1, SR2<product_t<A, B>>>(C, e);
}

/// e_ij C_ijkl
template <class A, class B>
NEML2_INLINE constexpr SR2<product_t<A, B>>
operator*(const SR2<A> & e, const SSR4<B> & C)
{
  return matmul<1, 6, 6, SR2<product_t<A, B>>>(e, C);
}

/// A_ijmn B_mnkl
template <class A, class B>
NEML2_INLINE constexpr SSR4<product_t<A, B>>
operator*(const SSR4<A> & a, const SSR4<B> & b)
{
  return matmul<6, 6, 6, SSR4<product_t<A, B>>>(a, b);
}

/// a_ij b_kl
template <class A, class B>
NEML2_INLINE constexpr SSR4<product_t<A, B>>
outer(const SR2<A> & a, const SR2<B> & b)
{
  return matmul<6, 1, 6, SSR4<product_t<A, B>>>(a, b);
}

/// C_klij
template <class T>
NEML2_INLINE constexpr SSR4<T>
transpose_major(const SSR4<T> & a)
{
  SSR4<T> r;
  NEML2_UNROLL
  for (int i = 0; i < 6; i++)
    NEML2_UNROLL
  for (int j = 0; j < 6; j++)
    r(i, j) = a(j, i);
  return r;
}

/// C1 on the normal diagonal, C2 between normals, C3 on the shear diagonal.
template <class T>
NEML2_INLINE constexpr SSR4<T>
fill_C1_C2_C3(const T & C1, const T & C2, const T & C3)
{
  SSR4<T> r;
  NEML2_UNROLL
  for (int i = 0; i < 3; i++)
  {
    NEML2_UNROLL
    for (int j = 0; j < 3; j++)
      r(i, j) = C2;
    r(i, i) = C1;
    r(i + 3, i + 3) = C3;
  }
  return r;
}

/// Isotropic stiffness from Young's modulus and Poisson's ratio.
template <class A, class B>
NEML2_INLINE constexpr SSR4<product_t<A, B>>
isotropic_E_nu(const A & E, const B & nu)
{
  using T = product_t<A, B>;
  const T p = T(E / ((1.0 + nu) * (1.0 - 2.0 * nu)));
  return fill_C1_C2_C3<T>(T((1.0 - nu) * p), nu * p, T((1.0 - 2.0 * nu) * p));
}
} // namespace neml2::kernels
