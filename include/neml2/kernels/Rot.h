// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/SSR4.h"

namespace neml2::kernels
{
/// One rotation by modified Rodrigues parameters, r_i = n_i tan(θ/4).
template <class T>
struct Rot : Components<T, 3>
{
  using Components<T, 3>::Components;
};

/// Rotation matrix δ_ij + (4 (1 - s) W_ij + 8 W_ik W_kj) / (1 + s)², s = r_k r_k, W = skew(r)
template <class T>
NEML2_INLINE constexpr R2<T>
euler_rodrigues(const Rot<T> & r)
{
  const T x = r[0] * r[0], y = r[1] * r[1], z = r[2] * r[2], s = x + y + z;
  const T q = T(1.0 / (1.0 + s)), b = T(8.0 * q * q), a = T(0.5 * (1.0 - s) * b);
  const T X = a * r[0], Y = a * r[1], Z = a * r[2];
  const T yz = b * r[1] * r[2], xz = b * r[0] * r[2], xy = b * r[0] * r[1];
  return {1.0 - b * (y + z),
          xy - Z,
          xz + Y,
          xy + Z,
          1.0 - b * (x + z),
          yz - X,
          xz - Y,
          yz + X,
          1.0 - b * (x + y)};
}

/// Composition: b first, then a, so that the matrix of a * b is the product of the matrices.
template <class A, class B>
NEML2_INLINE constexpr Rot<product_t<A, B>>
operator*(const Rot<A> & a, const Rot<B> & b)
{
  using T = product_t<A, B>;
  const A s = norm_sq(a);
  const B t = norm_sq(b);
  const T i = T(1.0 / (1.0 + s * t - 2.0 * inner(a, b)));
  const T p = T((1.0 - t) * i), q = T((1.0 - s) * i), d = T(2.0 * i);
  return {p * a[0] + q * b[0] + d * (a[1] * b[2] - a[2] * b[1]),
          p * a[1] + q * b[1] + d * (a[2] * b[0] - a[0] * b[2]),
          p * a[2] + q * b[2] + d * (a[0] * b[1] - a[1] * b[0])};
}

/// The rotation back, -r.
template <class T>
NEML2_INLINE constexpr Rot<T>
inv(const Rot<T> & r)
{
  return -r;
}

/// The rotation a followed by r.
template <class A, class B>
NEML2_INLINE constexpr Rot<product_t<A, B>>
rotate(const Rot<A> & a, const Rot<B> & r)
{
  return r * a;
}

/// R_ij v_j
template <class A, class B>
NEML2_INLINE constexpr auto
rotate(const Vec<A> & v, const Rot<B> & r)
{
  return rotate(v, euler_rodrigues(r));
}

/// R_ik A_kl R_jl
template <class A, class B>
NEML2_INLINE constexpr auto
rotate(const R2<A> & a, const Rot<B> & r)
{
  return rotate(a, euler_rodrigues(r));
}

/// R_ik s_kl R_jl
template <class A, class B>
NEML2_INLINE constexpr auto
rotate(const SR2<A> & s, const Rot<B> & r)
{
  return rotate(s, euler_rodrigues(r));
}

/// R_im R_jn R_ko R_lp C_mnop
template <class A, class B>
NEML2_INLINE constexpr auto
rotate(const SSR4<A> & C, const Rot<B> & r)
{
  return rotate(C, euler_rodrigues(r));
}

/**
 * The rotation of a matrix, of an angle up to π.
 *
 * Row k of the symmetric matrix 4 q_k q_l, q the unit quaternion, is linear in the matrix for each k;
 * the row of the largest q_k² has no cancellation.
 */
template <class T>
NEML2_INLINE Rot<T>
fill_matrix(const R2<T> & M)
{
  const T t = tr(M), u = T(1.0 - t);
  const T a = M(2, 1) - M(1, 2), b = M(0, 2) - M(2, 0), c = M(1, 0) - M(0, 1);
  const T yz = M(2, 1) + M(1, 2), xz = M(0, 2) + M(2, 0), xy = M(1, 0) + M(0, 1);
  const T rows[3][4] = {{a, T(2.0 * M(0, 0) + u), xy, xz},
                        {b, xy, T(2.0 * M(1, 1) + u), yz},
                        {c, xz, yz, T(2.0 * M(2, 2) + u)}};
  T q[4] = {T(1.0 + t), a, b, c}, largest = q[0];
  NEML2_UNROLL
  for (int k = 0; k < 3; k++)
  {
    const auto larger = rows[k][k + 1] > largest;
    largest = where(larger, rows[k][k + 1], largest);
    NEML2_UNROLL
    for (int l = 0; l < 4; l++)
      q[l] = where(larger, rows[k][l], q[l]);
  }
  const T norm = sqrt(T(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]));
  const T i = T(where(q[0] < 0.0, T(-1.0), T(1.0)) / (norm + abs(q[0])));
  return {q[1] * i, q[2] * i, q[3] * i};
}

/// The rotation of the Rodrigues parameters n tan(θ/2).
template <class T>
NEML2_INLINE Rot<T>
fill_rodrigues(const T & rx, const T & ry, const T & rz)
{
  const T i = T(1.0 / (1.0 + sqrt(T(1.0 + rx * rx + ry * ry + rz * rz))));
  return {rx * i, ry * i, rz * i};
}
} // namespace neml2::kernels
