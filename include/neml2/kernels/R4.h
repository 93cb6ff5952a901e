// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Rot.h"
#include "neml2/kernels/elimination.h"

namespace neml2::kernels
{
/// One fourth order tensor, T_ijkl at 27i + 9j + 3k + l.
template <class T>
struct R4 : Components<T, 81>
{
  using Components<T, 81>::Components;
  NEML2_INLINE constexpr T & operator()(int i, int j, int k, int l)
  {
    return this->v[component_place<3, 3, 3, 3>(i, j, k, l)];
  }
  NEML2_INLINE constexpr const T & operator()(int i, int j, int k, int l) const
  {
    return this->v[component_place<3, 3, 3, 3>(i, j, k, l)];
  }
};

/// a_ij b_kl
template <class A, class B>
NEML2_INLINE constexpr R4<product_t<A, B>>
outer(const R2<A> & a, const R2<B> & b)
{
  return matmul<9, 1, 9, R4<product_t<A, B>>>(a, b);
}

/// T_ijkl A_kl
template <class A, class B>
NEML2_INLINE constexpr R2<product_t<A, B>>
operator*(const R4<A> & t, const R2<B> & a)
{
  return matmul<9, 9, 1, R2<product_t<A, B>>>(t, a);
}

/// A_ij T_ijkl
template <class A, class B>
NEML2_INLINE constexpr R2<product_t<A, B>>
operator*(const R2<A> & a, const R4<B> & t)
{
  return matmul<1, 9, 9, R2<product_t<A, B>>>(a, t);
}

/// T_ijmn U_mnkl
template <class A, class B>
NEML2_INLINE constexpr R4<product_t<A, B>>
operator*(const R4<A> & t, const R4<B> & u)
{
  return matmul<9, 9, 9, R4<product_t<A, B>>>(t, u);
}

/// T_klij
template <class T>
NEML2_INLINE constexpr R4<T>
transpose_major(const R4<T> & t)
{
  R4<T> r{Unset()};
  NEML2_UNROLL
  for (int p = 0; p < 9; p++)
    NEML2_UNROLL
  for (int q = 0; q < 9; q++)
    r[9 * p + q] = t[9 * q + p];
  return r;
}

/// T_jilk
template <class T>
NEML2_INLINE constexpr R4<T>
transpose_minor(const R4<T> & t)
{
  R4<T> r{Unset()};
  NEML2_UNROLL
  for (int p = 0; p < 9; p++)
    NEML2_UNROLL
  for (int q = 0; q < 9; q++)
    r[9 * p + q] = t(p % 3, p / 3, q % 3, q / 3);
  return r;
}

/// All 81 components of a tensor with both minor symmetries.
template <class T>
NEML2_INLINE constexpr R4<T>
full(const SSR4<T> & C)
{
  R4<T> r{Unset()};
  NEML2_UNROLL
  for (int p = 0; p < 6; p++)
    NEML2_UNROLL
  for (int q = 0; q < 6; q++)
  {
    const int i = mandel_index[p][0], j = mandel_index[p][1], k = mandel_index[q][0],
              l = mandel_index[q][1];
    const T c = p < 3 && q < 3 ? C(p, q) : T(C(p, q) * (p < 3 || q < 3 ? invsqrt2 : 0.5));
    r(i, j, k, l) = c;
    r(i, j, l, k) = c;
    r(j, i, k, l) = c;
    r(j, i, l, k) = c;
  }
  return r;
}

/// The part with both minor symmetries, (T_ijkl + T_jikl + T_ijlk + T_jilk) / 4.
template <class T>
NEML2_INLINE constexpr SSR4<T>
sym(const R4<T> & t)
{
  SSR4<T> C{Unset()};
  NEML2_UNROLL
  for (int p = 0; p < 6; p++)
    NEML2_UNROLL
  for (int q = 0; q < 6; q++)
  {
    const int i = mandel_index[p][0], j = mandel_index[p][1], k = mandel_index[q][0],
              l = mandel_index[q][1];
    if (p < 3 && q < 3)
      C(p, q) = t(i, j, k, l);
    else if (p < 3)
      C(p, q) = (t(i, j, k, l) + t(i, j, l, k)) * invsqrt2;
    else if (q < 3)
      C(p, q) = (t(i, j, k, l) + t(j, i, k, l)) * invsqrt2;
    else
      C(p, q) = (t(i, j, k, l) + t(j, i, k, l) + t(i, j, l, k) + t(j, i, l, k)) * 0.5;
  }
  return C;
}

/// R_im R_jn R_ko R_lp T_mnop. Four times, R is applied to the last index, which then becomes the first.
template <class A, class B>
NEML2_INLINE constexpr R4<product_t<B, product_t<A, B>>>
rotate(const R4<A> & t, const R2<B> & R)
{
  using T = product_t<B, product_t<A, B>>;
  R4<T> r{Unset()}, x{Unset()};
  NEML2_UNROLL
  for (int n = 0; n < 81; n++)
    r[n] = t[n];
  NEML2_KEEP_LOOP
  for (int turn = 0; turn < 4; turn++)
  {
    x = r;
    NEML2_KEEP_LOOP
    for (int n = 0; n < 27; n++)
    {
      NEML2_UNROLL
      for (int l = 0; l < 3; l++)
        r[27 * l + n] = R(l, 0) * x[3 * n] + R(l, 1) * x[3 * n + 1] + R(l, 2) * x[3 * n + 2];
    }
  }
  return r;
}

/// Inverse for the contraction over pairs of indices, T_ijmn T^-1_mnkl = δ_ik δ_jl; NaN where no inverse exists.
template <class T>
NEML2_INLINE R4<T>
inv(const R4<T> & t)
{
  return inverse_by_elimination<9>(t);
}
} // namespace neml2::kernels
