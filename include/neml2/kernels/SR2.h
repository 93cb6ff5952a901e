// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/R2.h"
#include "neml2/kernels/mandel.h"

namespace neml2::kernels
{
/// One symmetric second order tensor in Mandel components.
template <class T>
struct SR2 : Components<T, 6>
{
  using Components<T, 6>::Components;
  using Components<T, 6>::operator();
  /// Component a_ij of the tensor, without the √2.
  NEML2_INLINE constexpr T operator()(int i, int j) const
  {
    const int k = mandel_reverse_index[component_index(i, 3)][component_index(j, 3)];
    return k < 3 ? this->v[k] : T(this->v[k] * invsqrt2);
  }
};

/// The tensor with these components s_ij, which have no factor √2.
template <class T>
NEML2_INLINE constexpr SR2<T>
fill_SR2(const T & s00, const T & s11, const T & s22, const T & s12, const T & s02, const T & s01)
{
  return {s00, s11, s22, s12 * sqrt2, s02 * sqrt2, s01 * sqrt2};
}
/// A diagonal tensor.
template <class T>
NEML2_INLINE constexpr SR2<T>
fill_SR2(const T & s00, const T & s11, const T & s22)
{
  const T o = T(0.0);
  return {s00, s11, s22, o, o, o};
}
/// a δ_ij
template <class T>
NEML2_INLINE constexpr SR2<T>
fill_SR2(const T & a)
{
  return fill_SR2(a, a, a);
}

/// a_kk
template <class T>
NEML2_INLINE constexpr T
tr(const SR2<T> & a)
{
  return a[0] + a[1] + a[2];
}

/// a_kk δ_ij / 3
template <class T>
NEML2_INLINE constexpr SR2<T>
vol(const SR2<T> & a)
{
  const T m = T(tr(a) * (1.0 / 3.0)), o = T(0.0);
  return {m, m, m, o, o, o};
}

/// a_ij - a_kk δ_ij / 3
template <class T>
NEML2_INLINE constexpr SR2<T>
dev(const SR2<T> & a)
{
  const T m = T(tr(a) * (1.0 / 3.0));
  return {a[0] - m, a[1] - m, a[2] - m, a[3], a[4], a[5]};
}

/// a_ji, which is a_ij
template <class T>
NEML2_INLINE constexpr SR2<T>
transpose(const SR2<T> & a)
{
  return a;
}

/// The nine components a_ij.
template <class T>
NEML2_INLINE constexpr R2<T>
full(const SR2<T> & a)
{
  const T s12 = T(a[3] * invsqrt2), s02 = T(a[4] * invsqrt2), s01 = T(a[5] * invsqrt2);
  return {a[0], s01, s02, s01, a[1], s12, s02, s12, a[2]};
}

/// Symmetric part (A_ij + A_ji) / 2.
template <class T>
NEML2_INLINE constexpr SR2<T>
sym(const R2<T> & a)
{
  return {a(0, 0),
          a(1, 1),
          a(2, 2),
          (a(1, 2) + a(2, 1)) * invsqrt2,
          (a(0, 2) + a(2, 0)) * invsqrt2,
          (a(0, 1) + a(1, 0)) * invsqrt2};
}

/// v_i v_j
template <class T>
NEML2_INLINE constexpr SR2<T>
self_outer(const Vec<T> & v)
{
  return {v[0] * v[0],
          v[1] * v[1],
          v[2] * v[2],
          v[1] * v[2] * sqrt2,
          v[0] * v[2] * sqrt2,
          v[0] * v[1] * sqrt2};
}

/// R_ik a_kl R_jl. The result is symmetric, so six entries of the second product are enough.
template <class A, class B>
NEML2_INLINE constexpr SR2<product_t<B, product_t<A, B>>>
rotate(const SR2<A> & a, const R2<B> & R)
{
  using T = product_t<B, product_t<A, B>>;
  const auto m = R * full(a);
  SR2<T> r{Unset()};
  NEML2_UNROLL
  for (int k = 0; k < 6; k++)
  {
    const int i = mandel_index[k][0], j = mandel_index[k][1];
    const auto s = m(i, 0) * R(j, 0) + m(i, 1) * R(j, 1) + m(i, 2) * R(j, 2);
    r[k] = k < 3 ? s : T(s * sqrt2);
  }
  return r;
}
/// Determinant of the 3×3 tensor, computed as for R2. A stored shear component is √2 times the component of the tensor.
template <class T>
NEML2_INLINE constexpr T
det(const SR2<T> & a)
{
  if constexpr (partials < T >> 0)
  {
    const auto x = values_of(a), c = sym(cofactors(full(x)));
    T r(det(x));
    NEML2_UNROLL
    for (int i = 0; i < 6; i++)
      NEML2_UNROLL
    for (int k = 0; k < partials<T>; k++)
      r.d[k] = r.d[k] + c[i] * a[i].d[k];
    return r;
  }
  else
  {
    T d = T(a[0] * (a[1] * a[2] - 0.5 * a[3] * a[3]) - 0.5 * a[1] * a[4] * a[4] -
            0.5 * a[2] * a[5] * a[5] + invsqrt2 * a[3] * a[4] * a[5]);
    if constexpr (has_order<T>)
    {
      const auto lost = loses_digits(norm_sq(a), d);
      if (NEML2_RARELY(any(lost)))
      {
        const ScaledRows<T> x(full(a));
        d = where(lost & x.are_finite(), det_of(x), d);
      }
    }
    return d;
  }
}

/// Inverse by cofactors, in Mandel components, computed as for R2.
template <class T>
NEML2_INLINE constexpr SR2<T>
inv(const SR2<T> & a)
{
  if constexpr (partials < T >> 0)
  {
    const auto x = inv(values_of(a));
    const auto X = full(x);
    SR2<T> r{Unset()};
    set_values(r, x);
    NEML2_UNROLL
    for (int k = 0; k < partials<T>; k++)
      set_partials(r, k, -rotate(partials_of(a, k), X));
    return r;
  }
  else
  {
    const T c0 = T(a[1] * a[2] - 0.5 * a[3] * a[3]);
    const T c4 = T(invsqrt2 * a[3] * a[5] - a[1] * a[4]);
    const T c5 = T(invsqrt2 * a[3] * a[4] - a[2] * a[5]);
    const T d = T(a[0] * c0 + 0.5 * a[4] * c4 + 0.5 * a[5] * c5), i = T(1.0 / d);
    SR2<T> r(c0 * i,
             (a[0] * a[2] - 0.5 * a[4] * a[4]) * i,
             (a[0] * a[1] - 0.5 * a[5] * a[5]) * i,
             (invsqrt2 * a[4] * a[5] - a[0] * a[3]) * i,
             c4 * i,
             c5 * i);
    if constexpr (has_order<T>)
    {
      const auto lost = loses_digits(norm_sq(a), d);
      if (NEML2_RARELY(any(lost)))
      {
        const ScaledRows<T> x(full(a));
        const auto wrong = lost & x.are_finite();
        const SR2<T> y = sym(inv_of(x));
        NEML2_UNROLL
        for (int k = 0; k < 6; k++)
          r[k] = where(wrong, y[k], r[k]);
      }
    }
    return r;
  }
}
} // namespace neml2::kernels
