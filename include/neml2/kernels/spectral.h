// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Dual.h"
#include "neml2/kernels/SSR4.h"

#include <limits>
#include <utility>

namespace neml2::kernels
{
/// Whether a_pq is negligible compared with the difference a_qq - a_pp: the rotation that makes a_pq zero would have an angle below 1e-20.
template <class T>
NEML2_INLINE auto
is_lost(const T & apq, const T & difference)
{
  return abs(apq) <= 1e-20 * abs(difference);
}

/// The Jacobi rotation in the plane of p and q that makes a_pq zero. If a_pq is negligible, the rotation is the identity. r is the third
/// index; v_p and v_q are columns of the product of all rotations so far. Only ratios of components are formed.
template <class T>
NEML2_INLINE void
jacobi_rotation(T & app, T & aqq, T & apq, T & arp, T & arq, Vec<T> & vp, Vec<T> & vq)
{
  const T difference = T(aqq - app);
  const auto lost = is_lost(apq, difference);
  const T theta = T(0.5 * where(lost, T(0.0), difference) / where(lost, T(1.0), apq));
  const T root = T(abs(theta) + sqrt(T(theta * theta + 1.0))); // cotangent of the angle
  const T sin = T(side_of(theta) / sqrt(T(root * root + 1.0)));
  const T t = where(lost, T(0.0), T(side_of(theta) / root)), s = where(lost, T(0.0), sin),
          c = where(lost, T(1.0), T(root * abs(sin)));
  const auto turn = [&](T & x, T & y)
  {
    const T z = T(c * x - s * y);
    y = T(s * x + c * y);
    x = z;
  };
  app = app - t * apq;
  aqq = aqq + t * apq;
  apq = where(lost, apq, T(0.0 * t)); // keeps NaN
  turn(arp, arq);
  NEML2_UNROLL
  for (int i = 0; i < 3; i++)
    turn(vp[i], vq[i]);
}

/// v or -v, so that the largest component is positive. Among components whose magnitudes differ by less than 0.1 %, the first counts as the
/// largest.
template <class T>
NEML2_INLINE Vec<T>
with_positive_largest(const Vec<T> & v)
{
  T m = v[0];
  NEML2_UNROLL
  for (int i = 1; i < 3; i++)
    m = where(abs(v[i]) * 0.999 > abs(m), v[i], m);
  return v * side_of(m);
}

/**
 * Eigenvalues in ascending order, and their eigenvectors in the columns of a rotation matrix.
 *
 * The largest component of each of the first two eigenvectors is positive; the third completes a right-handed frame. All results are NaN
 * where a component is not finite. They are computed by cyclic Jacobi rotations, in at most five sweeps, which are enough for any 3×3
 * matrix; convergence is quadratic, even if eigenvalues are equal.
 *
 * Source: Golub and Van Loan (2013), Matrix Computations, section 8.5.
 */
template <class T>
NEML2_INLINE std::pair<Vec<T>, R2<T>>
eigh(const SR2<T> & s)
{
  T nothing = T(0.0 * s[0]); // NaN where a component is not finite
  NEML2_UNROLL
  for (int i = 1; i < 6; i++)
    nothing = nothing + 0.0 * s[i];
  T a = s[0] + nothing, b = s[1] + nothing, c = s[2] + nothing;
  T bc = T(s[3] * invsqrt2), ac = T(s[4] * invsqrt2), ab = T(s[5] * invsqrt2);
  Vec<T> x(1.0, 0.0, 0.0), y(0.0, 1.0, 0.0), z(0.0, 0.0, 1.0);
  constexpr int sweeps = 5;
  NEML2_KEEP_LOOP
  for (int i = 0; i < sweeps; i++)
  {
    if (all(is_lost(ab, T(b - a)) & is_lost(ac, T(c - a)) & is_lost(bc, T(c - b))))
      break; // a finished lane stays as it is, except for signs of zeros, while other lanes continue
    jacobi_rotation(a, b, ab, ac, bc, x, y);
    jacobi_rotation(a, c, ac, ab, bc, x, z);
    jacobi_rotation(b, c, bc, ab, ac, y, z);
  }
  const auto clear_signs = [](T & l, Vec<T> & v)
  {
    l = l + 0.0;
    NEML2_UNROLL
    for (int i = 0; i < 3; i++)
      v[i] = v[i] + 0.0;
  };
  clear_signs(a, x);
  clear_signs(b, y);
  clear_signs(c, z);
  const auto sort = [](T & l, T & m, Vec<T> & v, Vec<T> & w)
  {
    const auto wrong = m < l;
    swap_where(wrong, l, m);
    NEML2_UNROLL
    for (int i = 0; i < 3; i++)
      swap_where(wrong, v[i], w[i]);
  };
  sort(a, b, x, y);
  sort(b, c, y, z);
  sort(a, b, x, y);
  x = with_positive_largest(x);
  y = with_positive_largest(y);
  z = z * side_of(inner(cross(x, y), z));
  return {Vec<T>(a, b, c), R2<T>(x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])};
}

/// 0 where d is zero, otherwise NaN; this holds for the derivatives of each level, too.
template <class T>
NEML2_INLINE T
undefined_along(const SR2<T> & d)
{
  if constexpr (partials<T> == 0)
  {
    T size(0.0);
    NEML2_UNROLL
    for (int i = 0; i < 6; i++)
      size = T(size + abs(d[i]));
    return where(equals_zero(size), T(0.0), T(std::numeric_limits<double>::quiet_NaN()));
  }
  else
  {
    T r(undefined_along(values_of(d)));
    NEML2_UNROLL
    for (int k = 0; k < partials<T>; k++)
      r.d[k] = undefined_along(partials_of(d, k));
    return r;
  }
}

/// Eigenvalues and eigenvectors of duals. The derivatives are dλ_i = v_i · ds v_i and dv_i = Σ_{j≠i} v_j (v_j · ds v_i) /
/// (λ_i - λ_j). Eigenvectors of equal eigenvalues have no derivative: dv_i is NaN, or 0 where ds is zero. The second derivatives of these
/// eigenvalues are therefore NaN.
template <class T, int N>
NEML2_INLINE std::pair<Vec<Dual<T, N>>, R2<Dual<T, N>>>
eigh(const SR2<Dual<T, N>> & s)
{
  const auto [l, V] = eigh(values_of(s));
  const R2<T> Vt = transpose(V);
  std::pair<Vec<Dual<T, N>>, R2<Dual<T, N>>> r{Unset(), Unset()};
  set_values(r.first, l);
  set_values(r.second, V);
  const T gaps[] = {T(l[2] - l[1]), T(l[2] - l[0]), T(l[1] - l[0])}; // in Mandel's order
  NEML2_UNROLL
  for (int k = 0; k < N; k++)
  {
    const SR2<T> ds = partials_of(s, k), d = rotate(ds, Vt);
    const T undefined = undefined_along(ds), zero(0.0);
    const auto turn = [&](int i) NEML2_INLINE_LAMBDA
    {
      const auto are_equal = equals_zero(gaps[i]);
      return where(
          are_equal, undefined, T(d[3 + i] * invsqrt2 / where(are_equal, T(1.0), gaps[i])));
    };
    const T w12 = turn(0), w02 = turn(1), w01 = turn(2);
    set_partials(r.first, k, Vec<T>(d[0], d[1], d[2]));
    set_partials(r.second, k, V * R2<T>(zero, w01, w02, -w01, zero, w12, -w02, -w12, zero));
  }
  return r;
}

/// Eigenvalues in ascending order.
template <class T>
NEML2_INLINE Vec<T>
eigenvalues(const SR2<T> & s)
{
  return eigh(s).first;
}
template <class T>
NEML2_INLINE Vec<T>
principal_values(const SR2<T> & s)
{
  return eigenvalues(s);
}

/// Σ_k l_k V_ik V_jk
template <class A, class B>
NEML2_INLINE constexpr SR2<product_t<A, B>>
ieigh(const Vec<A> & l, const R2<B> & V)
{
  SR2<product_t<A, B>> r{Unset()};
  NEML2_UNROLL
  for (int p = 0; p < 6; p++)
  {
    const int i = mandel_index[p][0], j = mandel_index[p][1];
    const auto x = l[0] * V(i, 0) * V(j, 0) + l[1] * V(i, 1) * V(j, 1) + l[2] * V(i, 2) * V(j, 2);
    r[p] = p < 3 ? x : product_t<A, B>(x * sqrt2);
  }
  return r;
}

/// Q_ip d_p Q_jp with Q = mandel_rotation(V): the fourth order tensor that scales Mandel component p in the
/// frame of V by d_p.
template <class T>
NEML2_INLINE SSR4<T>
scaling_in_frame(const SR2<T> & d, const R2<T> & V)
{
  const SSR4<T> Q = mandel_rotation(V);
  SSR4<T> r{Unset()};
  NEML2_KEEP_LOOP
  for (int i = 0; i < 6; i++)
    NEML2_UNROLL
  for (int j = 0; j < 6; j++)
  {
    T x = T(Q(i, 0) * d[0] * Q(j, 0));
    NEML2_UNROLL
    for (int p = 1; p < 6; p++)
      x = x + Q(i, p) * d[p] * Q(j, p);
    r(i, j) = x;
  }
  return r;
}

/// (f - g) / (l - m), where a function has the values f at l and g at m. The result is the mean of its slopes df and dg where l = m, or
/// where f - g differs from (l - m) times this mean by no more than the noise.
template <class T>
NEML2_INLINE T
divided_difference(
    const T & l, const T & m, const T & f, const T & g, const T & df, const T & dg, const T & noise)
{
  const T h = T(l - m), change = T(f - g), mean = T(0.5 * (df + dg));
  const auto lost = (abs(T(change - h * mean)) <= noise) | equals_zero(h);
  return where(lost, mean, T(change / where(lost, T(1.0), h)));
}

/// Derivative with respect to s of Σ_k f_k v_k v_k, where f_k is a function of the eigenvalue l_k of s, with the slope df_k, and
/// the v_k are the eigenvectors in the columns of V. epsilon is the relative error of f.
template <class T, class E>
NEML2_INLINE SSR4<T>
dsptrf(const Vec<T> & l, const R2<T> & V, const Vec<T> & f, const Vec<T> & df, const E & epsilon)
{
  SR2<T> d{Unset()};
  NEML2_UNROLL
  for (int p = 0; p < 6; p++)
  {
    const int i = mandel_index[p][0], j = mandel_index[p][1];
    const T noise = T(4.0 * epsilon * (abs(f[i]) + abs(f[j])));
    d[p] = p < 3 ? df[p] : divided_difference(l[i], l[j], f[i], f[j], df[i], df[j], noise);
  }
  return scaling_in_frame(d, V);
}
template <class T>
NEML2_INLINE SSR4<T>
dsptrf(const Vec<T> & l, const R2<T> & V, const Vec<T> & f, const Vec<T> & df)
{
  return dsptrf(l, V, f, df, 2.3e-16);
}
} // namespace neml2::kernels
