// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/R3.h"
#include "neml2/kernels/SSR4.h"

#include <cmath>
#include <limits>

namespace neml2::kernels
{
/// One rotation, stored as modified Rodrigues parameters r_i = n_i tan(θ/4).
template <class T>
struct Rot : Components<T, 3>
{
  using Components<T, 3>::Components;
};

/// The rotation matrix δ_ij + (4 (1 - s) W_ij + 8 W_ik W_kj) / (1 + s)² with s = r_k r_k and W = skew(r)
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

/// The derivative ∂R_ij/∂r_k of the rotation matrix R. It is M_ij r_k + b (δ_ik r_j + δ_jk r_i) - a ε_ijk with q = 1 / (1 + s),
/// b = 8 q², a = (1 - s) b / 2 and M_ij = q b ((s - 3) W_ij - 4 r_i r_j) + (4 q b s - 2 b) δ_ij.
template <class T>
NEML2_INLINE constexpr R3<T>
deuler_rodrigues(const Rot<T> & r)
{
  const T s = norm_sq(r);
  const T q = T(1.0 / (1.0 + s)), b = T(8.0 * q * q), a = T(0.5 * (1.0 - s) * b), p = T(q * b);
  const T w = T((s - 3.0) * p), d = T(4.0 * p), c = T(d * s - 2.0 * b);
  const T W[3] = {w * r[0], w * r[1], w * r[2]}, D[3] = {d * r[0], d * r[1], d * r[2]},
          B[3] = {b * r[0], b * r[1], b * r[2]};
  const T M[9] = {c - D[0] * r[0],
                  -W[2] - D[0] * r[1],
                  W[1] - D[0] * r[2],
                  W[2] - D[0] * r[1],
                  c - D[1] * r[1],
                  -W[0] - D[1] * r[2],
                  -W[1] - D[0] * r[2],
                  W[0] - D[1] * r[2],
                  c - D[2] * r[2]};
  R3<T> F{Unset()};
  NEML2_UNROLL
  for (int ij = 0; ij < 9; ij++)
    NEML2_UNROLL
  for (int k = 0; k < 3; k++)
    F[3 * ij + k] = M[ij] * r[k];
  NEML2_UNROLL
  for (int i = 0; i < 3; i++)
  {
    const int j = i == 2 ? 0 : i + 1, k = i == 0 ? 2 : i - 1; // ε_ijk = 1
    F(i, i, i) = F(i, i, i) + 2.0 * B[i];
    F(i, j, i) = F(i, j, i) + B[j];
    F(j, i, i) = F(j, i, i) + B[j];
    F(i, k, i) = F(i, k, i) + B[k];
    F(k, i, i) = F(k, i, i) + B[k];
    F(i, j, k) = F(i, j, k) - a;
    F(j, i, k) = F(j, i, k) + a;
  }
  return F;
}

/// Composition: b first, then a, so that the matrix of a * b is the matrix of a times the matrix of b.
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

/// The inverse rotation, -r.
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

/// The derivative with respect to x of c, the product of the rotations x and y; σ is 1 if x is the left factor, otherwise -1. The result is
/// ((1 - t) δ_ij - 2 y_i x_j - 2 c_i (t x_j - y_j) + 2 σ ε_ijk y_k) / d with t = y · y and
/// d = 1 + (x · x) t - 2 x · y.
template <class X, class Y>
NEML2_INLINE constexpr R2<product_t<X, Y>>
product_derivative(const Rot<product_t<X, Y>> & c, const Rot<X> & x, const Rot<Y> & y, double sigma)
{
  using T = product_t<X, Y>;
  const Y t = norm_sq(y);
  const T q = T(1.0 / (1.0 + norm_sq(x) * t - 2.0 * inner(x, y)));
  const T u = T((1.0 - t) * q), p = T(2.0 * q), a = T(sigma * p);
  const T z[3] = {a * y[0], a * y[1], a * y[2]};
  R2<T> D{Unset()};
  NEML2_UNROLL
  for (int j = 0; j < 3; j++)
  {
    const T X_j = T(p * x[j]), e = T(p * (t * x[j] - y[j]));
    NEML2_UNROLL
    for (int i = 0; i < 3; i++)
      D(i, j) = -(X_j * y[i] + e * c[i]);
  }
  D(0, 0) = D(0, 0) + u;
  D(1, 1) = D(1, 1) + u;
  D(2, 2) = D(2, 2) + u;
  D(0, 1) = D(0, 1) + z[2];
  D(1, 0) = D(1, 0) - z[2];
  D(0, 2) = D(0, 2) - z[1];
  D(2, 0) = D(2, 0) + z[1];
  D(1, 2) = D(1, 2) + z[0];
  D(2, 1) = D(2, 1) - z[0];
  return D;
}

/// Derivative with respect to r of rotate(a, r) = r * a.
template <class A, class B>
NEML2_INLINE constexpr R2<product_t<A, B>>
drotate(const Rot<A> & a, const Rot<B> & r)
{
  return product_derivative<B, A>(r * a, r, a, 1);
}

/// Derivative with respect to a of rotate(a, r) = r * a.
template <class A, class B>
NEML2_INLINE constexpr R2<product_t<A, B>>
drotate_self(const Rot<A> & a, const Rot<B> & r)
{
  return product_derivative<A, B>(r * a, a, r, -1);
}

/// A vector or tensor rotated by r: rotate(a, R) with the rotation matrix R of r.
template <template <class> class Tensor, class A, class B, if_row<Tensor, A> = 0>
NEML2_INLINE constexpr auto
rotate(const Tensor<A> & a, const Rot<B> & r)
{
  return rotate(a, euler_rodrigues(r));
}

/// Row k of the symmetric matrix 4 q_k q_l, where q is the unit quaternion of a rotation matrix.
/// `place` is 1 at k, otherwise 0.
template <class T>
struct QuaternionRow
{
  T q[4], place[4];
};

/// The row k with the largest q_k². Each row is linear in the rotation matrix; the row with the largest q_k² is
/// computed without cancellation.
template <class T>
NEML2_INLINE QuaternionRow<T>
quaternion_row(const R2<T> & M)
{
  const T t = tr(M), u = T(1.0 - t);
  const T a = M(2, 1) - M(1, 2), b = M(0, 2) - M(2, 0), c = M(1, 0) - M(0, 1);
  const T yz = M(2, 1) + M(1, 2), xz = M(0, 2) + M(2, 0), xy = M(1, 0) + M(0, 1);
  const T rows[3][4] = {{a, T(2.0 * M(0, 0) + u), xy, xz},
                        {b, xy, T(2.0 * M(1, 1) + u), yz},
                        {c, xz, yz, T(2.0 * M(2, 2) + u)}};
  QuaternionRow<T> r{{T(1.0 + t), a, b, c}, {T(1.0), T(0.0), T(0.0), T(0.0)}};
  T largest = r.q[0];
  NEML2_UNROLL
  for (int k = 0; k < 3; k++)
  {
    const auto larger = rows[k][k + 1] > largest;
    largest = where(larger, rows[k][k + 1], largest);
    NEML2_UNROLL
    for (int l = 0; l < 4; l++)
    {
      r.q[l] = where(larger, rows[k][l], r.q[l]);
      r.place[l] = where(larger, T(l == k + 1 ? 1.0 : 0.0), r.place[l]);
    }
  }
  return r;
}

/// The unit quaternion (s, u) of a rotation matrix, with s ≥ 0; NaN for a reflection.
template <class T>
NEML2_INLINE Components<T, 4>
unit_quaternion(const R2<T> & M)
{
  const QuaternionRow<T> row = quaternion_row(M);
  const T * const q = row.q;
  const T norm = where(det_by_cofactors(M) > 0.0,
                       sqrt(T(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])),
                       T(std::numeric_limits<double>::quiet_NaN()));
  const T i = T(side_of(q[0]) / norm);
  return {abs(q[0]) / norm, q[1] * i, q[2] * i, q[3] * i};
}

/// The rotation with the matrix M and an angle of at most π: u / (1 + s), where (s, u) is the unit quaternion of M.
template <class T>
NEML2_INLINE Rot<T>
fill_matrix(const R2<T> & M)
{
  const Components<T, 4> q = unit_quaternion(M);
  const T i = T(1.0 / (1.0 + q[0]));
  return {q[1] * i, q[2] * i, q[3] * i};
}

/// The rotation with the Rodrigues parameters n tan(θ/2).
template <class T>
NEML2_INLINE Rot<T>
fill_rodrigues(const T & rx, const T & ry, const T & rz)
{
  const T i = T(1.0 / (1.0 + sqrt(T(1.0 + rx * rx + ry * ry + rz * rz))));
  return {rx * i, ry * i, rz * i};
}
} // namespace neml2::kernels
