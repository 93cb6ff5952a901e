// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/SR2.h"
#include "neml2/kernels/elimination.h"
#include "neml2/kernels/lu.h"

namespace neml2::kernels
{
/// One fourth order tensor with both minor symmetries, stored as Mandel components: C_IJ is at 6 I + J.
template <class T>
struct SSR4 : Components<T, 36>
{
  using Components<T, 36>::Components;
  NEML2_INLINE constexpr T & operator()(int i, int j)
  {
    return this->v[component_place<6, 6>(i, j)];
  }
  NEML2_INLINE constexpr const T & operator()(int i, int j) const
  {
    return this->v[component_place<6, 6>(i, j)];
  }
  /// Component C_ijkl of the tensor, without the √2 of Mandel components.
  NEML2_INLINE constexpr T operator()(int i, int j, int k, int l) const
  {
    const int p = mandel_reverse_index[component_index(i, 3)][component_index(j, 3)],
              q = mandel_reverse_index[component_index(k, 3)][component_index(l, 3)];
    const double factor = (p < 3 ? 1.0 : invsqrt2) * (q < 3 ? 1.0 : invsqrt2);
    return factor == 1.0 ? (*this)(p, q) : T((*this)(p, q) * factor);
  }
};

/// C_ijkl e_kl
template <class A, class B>
NEML2_INLINE constexpr SR2<product_t<A, B>>
operator*(const SSR4<A> & C, const SR2<B> & e)
{
  return matmul<6, 6, 1, SR2<product_t<A, B>>>(C, e);
}

/// C_ijkl A_kl. Only the symmetric part of A contributes.
template <class A, class B>
NEML2_INLINE constexpr SR2<product_t<A, B>>
operator*(const SSR4<A> & C, const R2<B> & a)
{
  return C * sym(a);
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
  SSR4<T> r{Unset()};
  NEML2_UNROLL
  for (int i = 0; i < 6; i++)
    NEML2_UNROLL
  for (int j = 0; j < 6; j++)
    r(i, j) = a(j, i);
  return r;
}

/// The map Q_ijkl = R_ik R_jl of symmetric tensors, so that rotate(s, R) is Q * s. R may be any
/// matrix.
template <class T>
NEML2_INLINE constexpr SSR4<T>
mandel_rotation(const R2<T> & R)
{
  SSR4<T> Q{Unset()};
  NEML2_UNROLL
  for (int p = 0; p < 6; p++)
  {
    const int i = mandel_index[p][0], j = mandel_index[p][1];
    NEML2_UNROLL
    for (int k = 0; k < 3; k++)
      Q(p, k) = p < 3 ? R(i, k) * R(i, k) : T(sqrt2 * R(i, k) * R(j, k));
    NEML2_UNROLL
    for (int q = 3; q < 6; q++)
    {
      const int k = mandel_index[q][0], l = mandel_index[q][1];
      Q(p, q) = p < 3 ? T(sqrt2 * R(i, k) * R(i, l)) : R(i, k) * R(j, l) + R(i, l) * R(j, k);
    }
  }
  return Q;
}

/// R_im R_jn R_ko R_lp C_mnop. In Mandel components it is the matrix Q C Qᵀ with Q = mandel_rotation(R), computed row by row.
template <class A, class B>
NEML2_INLINE constexpr SSR4<product_t<B, product_t<A, B>>>
rotate(const SSR4<A> & C, const R2<B> & R)
{
  SSR4<product_t<B, product_t<A, B>>> r{Unset()};
  const auto Q = mandel_rotation(R);
  NEML2_KEEP_LOOP
  for (int i = 0; i < 6; i++)
  {
    SR2<B> q{Unset()};
    NEML2_UNROLL
    for (int j = 0; j < 6; j++)
      q[j] = Q(i, j);
    const auto row = Q * (q * C);
    NEML2_UNROLL
    for (int j = 0; j < 6; j++)
      r(i, j) = row[j];
  }
  return r;
}

/// Determinant of the 6×6 matrix of Mandel components.
template <class T>
NEML2_INLINE T
det(const SSR4<T> & C)
{
  return determinant<6>(C);
}

/// Inverse of the 6×6 matrix by Gauss-Jordan elimination with row pivoting; infinite or NaN where a
/// pivot is 0.
template <class T>
NEML2_INLINE constexpr SSR4<T>
inv(const SSR4<T> & C)
{
  SSR4<T> a = C;
  decltype(a[0] < a[0]) swapped[6][6] = {};
  NEML2_UNROLL
  for (int k = 0; k < 6; k++)
  {
    NEML2_UNROLL
    for (int i = k + 1; i < 6; i++)
    {
      swapped[k][i] = abs(a(k, k)) < abs(a(i, k));
      NEML2_UNROLL
      for (int j = 0; j < 6; j++)
        swap_where(swapped[k][i], a(k, j), a(i, j));
    }
    const T p = T(1.0 / a(k, k));
    a(k, k) = T(1.0); // column k is eliminated: from here on it holds the column of the inverse
    NEML2_UNROLL
    for (int j = 0; j < 6; j++)
      a(k, j) = a(k, j) * p;
    NEML2_UNROLL
    for (int i = 0; i < 6; i++)
      if (i != k)
      {
        const T f = a(i, k);
        a(i, k) = T(0.0);
        NEML2_UNROLL
        for (int j = 0; j < 6; j++)
          a(i, j) = a(i, j) - f * a(k, j);
      }
  }
  NEML2_UNROLL
  for (int k = 5; k >= 0; k--) // swapped rows of C are swapped columns of the inverse
    NEML2_UNROLL
  for (int i = 5; i > k; i--)
    NEML2_UNROLL
  for (int j = 0; j < 6; j++)
    swap_where(swapped[k][i], a(j, k), a(j, i));
  return a;
}
} // namespace neml2::kernels
