// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Vec.h"
#include "neml2/kernels/matmul.h"

namespace neml2::kernels
{
/// One second order tensor, A_ij at 3i + j.
template <class T>
struct R2 : Components<T, 9>
{
  using Components<T, 9>::Components;
  NEML2_INLINE constexpr T & operator()(int i, int j)
  {
    return this->v[component_place<3, 3>(i, j)];
  }
  NEML2_INLINE constexpr const T & operator()(int i, int j) const
  {
    return this->v[component_place<3, 3>(i, j)];
  }
};

/// All components, row by row.
template <class T>
NEML2_INLINE constexpr R2<T>
fill_R2(const T & a00,
        const T & a01,
        const T & a02,
        const T & a10,
        const T & a11,
        const T & a12,
        const T & a20,
        const T & a21,
        const T & a22)
{
  return {a00, a01, a02, a10, a11, a12, a20, a21, a22};
}
/// A symmetric tensor.
template <class T>
NEML2_INLINE constexpr R2<T>
fill_R2(const T & a00, const T & a11, const T & a22, const T & a12, const T & a02, const T & a01)
{
  return {a00, a01, a02, a01, a11, a12, a02, a12, a22};
}
/// A diagonal tensor.
template <class T>
NEML2_INLINE constexpr R2<T>
fill_R2(const T & a00, const T & a11, const T & a22)
{
  const T o = T(0.0);
  return {a00, o, o, o, a11, o, o, o, a22};
}
/// a δ_ij
template <class T>
NEML2_INLINE constexpr R2<T>
fill_R2(const T & a)
{
  return fill_R2(a, a, a);
}

/// A_ij over j, and over i.
template <class T>
NEML2_INLINE constexpr Vec<T>
row(const R2<T> & a, int i)
{
  const int k = component_index(i, 3);
  return {a(k, 0), a(k, 1), a(k, 2)};
}
template <class T>
NEML2_INLINE constexpr Vec<T>
col(const R2<T> & a, int j)
{
  const int k = component_index(j, 3);
  return {a(0, k), a(1, k), a(2, k)};
}

/// A_ik B_kj
template <class A, class B>
NEML2_INLINE constexpr R2<product_t<A, B>>
operator*(const R2<A> & a, const R2<B> & b)
{
  return matmul<3, 3, 3, R2<product_t<A, B>>>(a, b);
}

/// A_ik b_k
template <class A, class B>
NEML2_INLINE constexpr Vec<product_t<A, B>>
operator*(const R2<A> & a, const Vec<B> & b)
{
  return matmul<3, 3, 1, Vec<product_t<A, B>>>(a, b);
}

/// A_ji
template <class T>
NEML2_INLINE constexpr R2<T>
transpose(const R2<T> & a)
{
  return {a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8]};
}

/// A_kk
template <class T>
NEML2_INLINE constexpr T
tr(const R2<T> & a)
{
  return a[0] + a[4] + a[8];
}

/// A_kk δ_ij / 3
template <class T>
NEML2_INLINE constexpr R2<T>
vol(const R2<T> & a)
{
  const T m = T(tr(a) * (1.0 / 3.0)), o = T(0.0);
  return {m, o, o, o, m, o, o, o, m};
}

/// A_ij - A_kk δ_ij / 3
template <class T>
NEML2_INLINE constexpr R2<T>
dev(const R2<T> & a)
{
  return a - vol(a);
}

/// a_i b_j
template <class A, class B>
NEML2_INLINE constexpr R2<product_t<A, B>>
outer(const Vec<A> & a, const Vec<B> & b)
{
  return matmul<3, 1, 3, R2<product_t<A, B>>>(a, b);
}

/// W_ij = -ε_ijk v_k, so that W a = v × a
template <class T>
NEML2_INLINE constexpr R2<T>
skew(const Vec<T> & v)
{
  R2<T> r;
  r(0, 1) = -v[2];
  r(0, 2) = v[1];
  r(1, 0) = v[2];
  r(1, 2) = -v[0];
  r(2, 0) = -v[1];
  r(2, 1) = v[0];
  return r;
}

/// R_ij v_j
template <class A, class B>
NEML2_INLINE constexpr Vec<product_t<A, B>>
rotate(const Vec<A> & v, const R2<B> & R)
{
  return R * v;
}

/// R_ik A_kl R_jl
template <class A, class B>
NEML2_INLINE constexpr R2<product_t<A, B>>
rotate(const R2<A> & a, const R2<B> & R)
{
  return R * a * transpose(R);
}

/// Cofactors det(A) A_ji^-1, also where A is singular: cross products of the rows.
template <class T>
NEML2_INLINE constexpr R2<T>
cofactors(const R2<T> & a)
{
  return {a[4] * a[8] - a[5] * a[7],
          a[5] * a[6] - a[3] * a[8],
          a[3] * a[7] - a[4] * a[6],
          a[2] * a[7] - a[1] * a[8],
          a[0] * a[8] - a[2] * a[6],
          a[1] * a[6] - a[0] * a[7],
          a[1] * a[5] - a[2] * a[4],
          a[2] * a[3] - a[0] * a[5],
          a[0] * a[4] - a[1] * a[3]};
}

/// Determinant, by cofactors of the first row.
template <class T>
NEML2_INLINE constexpr T
det(const R2<T> & a)
{
  return a[0] * (a[4] * a[8] - a[5] * a[7]) + a[1] * (a[5] * a[6] - a[3] * a[8]) +
         a[2] * (a[3] * a[7] - a[4] * a[6]);
}

/// Inverse: the transposed cofactors over the determinant.
template <class T>
NEML2_INLINE constexpr R2<T>
inv(const R2<T> & a)
{
  const R2<T> c = cofactors(a);
  const T i = T(1.0 / (a[0] * c[0] + a[1] * c[1] + a[2] * c[2]));
  return {c[0] * i, c[3] * i, c[6] * i, c[1] * i, c[4] * i, c[7] * i, c[2] * i, c[5] * i, c[8] * i};
}
} // namespace neml2::kernels
