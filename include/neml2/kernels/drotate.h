// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/R4.h"
#include "neml2/kernels/SFFR4.h"
#include "neml2/kernels/SFR3.h"
#include "neml2/kernels/SSFR5.h"
#include "neml2/kernels/skew_products.h"

/// Derivatives of rotated vectors and tensors with respect to the rotation: with respect to its parameters r (the last index of the
/// result), or to all components of its matrix R (the last two indices of the result).
namespace neml2::kernels
{
/**
 * J_ik = (4 (1 - s) δ_ik + 8 W_ik + 8 r_i r_k) / (1 + s)², s = r_k r_k, W = skew(r).
 *
 * The spin ω_i = J_ik dr_k/dt turns a rotated vector u while r changes: du_i/dt = ε_ijk ω_j u_k.
 * Source: Schaub and Junkins (2003), Analytical Mechanics of Space Systems, sec. 3.6.
 */
template <class T>
NEML2_INLINE constexpr R2<T>
spin_by_rate(const Rot<T> & r)
{
  const T s = norm_sq(r), q = T(1.0 / (1.0 + s)), b = T(8.0 * q * q), a = T(0.5 * (1.0 - s) * b);
  const T x = b * r[0], y = b * r[1], z = b * r[2];
  const T xy = x * r[1], xz = x * r[2], yz = y * r[2];
  return {a + x * r[0], xy - z, xz + y, xy + z, a + y * r[1], yz - x, xz - y, yz + x, a + z * r[2]};
}

/// ∂(R_ij v_j)/∂r_k = ε_ilm J_lk u_m, u = R v
template <class A, class B>
NEML2_INLINE constexpr R2<product_t<B, product_t<A, B>>>
drotate(const Vec<A> & v, const Rot<B> & r)
{
  const auto u = rotate(v, r);
  const auto J = spin_by_rate(r);
  R2<product_t<B, product_t<A, B>>> d{Unset()};
  NEML2_UNROLL
  for (int i = 0; i < 3; i++)
    NEML2_UNROLL
  for (int k = 0; k < 3; k++)
  {
    const int l = (i + 1) % 3, m = (i + 2) % 3;
    d(i, k) = J(l, k) * u[m] - J(m, k) * u[l];
  }
  return d;
}

/// ε_ilm J_lk B_mj + ε_jlm J_lk B_im: the rate of B under the spin in column k of J.
template <class A, class B>
NEML2_INLINE constexpr product_t<A, B>
turn(const R2<A> & J, const R2<B> & b, int i, int j, int k)
{
  const int l = (i + 1) % 3, m = (i + 2) % 3, p = (j + 1) % 3, q = (j + 2) % 3;
  return J(l, k) * b(m, j) - J(m, k) * b(l, j) + J(p, k) * b(i, q) - J(q, k) * b(i, p);
}

/// ∂(R_il A_lm R_jm)/∂r_k
template <class A, class B>
NEML2_INLINE constexpr R3<product_t<B, product_t<A, B>>>
drotate(const R2<A> & a, const Rot<B> & r)
{
  const auto b = rotate(a, r);
  const auto J = spin_by_rate(r);
  R3<product_t<B, product_t<A, B>>> d{Unset()};
  NEML2_UNROLL
  for (int i = 0; i < 3; i++)
    NEML2_UNROLL
  for (int j = 0; j < 3; j++)
    NEML2_UNROLL
  for (int k = 0; k < 3; k++)
    d(i, j, k) = turn(J, b, i, j, k);
  return d;
}

/// ∂(R_il s_lm R_jm)/∂r_k in Mandel components of ij.
template <class A, class B>
NEML2_INLINE constexpr SFR3<product_t<B, product_t<A, B>>>
drotate(const SR2<A> & s, const Rot<B> & r)
{
  using T = product_t<B, product_t<A, B>>;
  const auto b = full(rotate(s, r));
  const auto J = spin_by_rate(r);
  SFR3<T> d{Unset()};
  NEML2_UNROLL
  for (int p = 0; p < 6; p++)
    NEML2_UNROLL
  for (int k = 0; k < 3; k++)
  {
    const auto x = turn(J, b, mandel_index[p][0], mandel_index[p][1], k);
    d[3 * p + k] = p < 3 ? x : T(x * sqrt2);
  }
  return d;
}

/// ∂(R_il v_l)/∂R_jk = δ_ij v_k
template <class A, class B>
NEML2_INLINE constexpr R3<A>
drotate(const Vec<A> & v, const R2<B> &)
{
  R3<A> d;
  NEML2_UNROLL
  for (int i = 0; i < 3; i++)
    NEML2_UNROLL
  for (int k = 0; k < 3; k++)
    d(i, i, k) = v[k];
  return d;
}

/// ∂(R_im A_mn R_jn)/∂R_kl = δ_ik R_jn A_ln + δ_jk R_im A_ml
template <class A, class B>
NEML2_INLINE constexpr R4<product_t<A, B>>
drotate(const R2<A> & a, const R2<B> & R)
{
  const auto M = R * transpose(a), N = R * a;
  R4<product_t<A, B>> d;
  NEML2_UNROLL
  for (int i = 0; i < 3; i++)
    NEML2_UNROLL
  for (int j = 0; j < 3; j++)
    NEML2_UNROLL
  for (int l = 0; l < 3; l++)
  {
    d(i, j, i, l) = M(j, l);
    d(i, j, j, l) = d(i, j, j, l) + N(i, l);
  }
  return d;
}

/// ∂(R_im s_mn R_jn)/∂R_kl = δ_ik R_jn s_nl + δ_jk R_in s_nl in Mandel components of ij.
template <class A, class B>
NEML2_INLINE constexpr SFFR4<product_t<A, B>>
drotate(const SR2<A> & s, const R2<B> & R)
{
  const auto M = R * full(s);
  SFFR4<product_t<A, B>> d;
  NEML2_UNROLL
  for (int p = 0; p < 6; p++)
    NEML2_UNROLL
  for (int l = 0; l < 3; l++)
  {
    const int i = mandel_index[p][0], j = mandel_index[p][1];
    const double factor = p < 3 ? 2.0 : sqrt2;
    d[9 * p + 3 * i + l] = M(j, l) * factor;
    d[9 * p + 3 * j + l] = M(i, l) * factor;
  }
  return d;
}

/**
 * Derivative with respect to r of C'_ijkl = R_im R_jn R_ko R_lp C_mnop.
 *
 * Under the spin w the rate of C' is w_a (G_a C' + C' G_aᵀ), where G_a is the matrix of a
 * unit spin about axis a in Mandel components.
 */
template <class A, class B>
NEML2_INLINE constexpr auto
drotate(const SSR4<A> & C, const Rot<B> & r)
{
  const auto turned = rotate(C, r);
  const auto w = spin_by_rate(r);
  using S = std::decay_t<decltype(turned[0])>;
  SWR4<S> of_column[6];
  NEML2_KEEP_LOOP
  for (int j = 0; j < 6; j++)
    of_column[j] = d_skew_and_sym_to_sym_d_skew(
        SR2<S>(turned(0, j), turned(1, j), turned(2, j), turned(3, j), turned(4, j), turned(5, j)));
  SSFR5<product_t<S, B>> d{Unset()};
  NEML2_KEEP_LOOP
  for (int i = 0; i < 6; i++)
  {
    const auto of_row = d_skew_and_sym_to_sym_d_skew(
        SR2<S>(turned(i, 0), turned(i, 1), turned(i, 2), turned(i, 3), turned(i, 4), turned(i, 5)));
    NEML2_UNROLL
    for (int j = 0; j < 6; j++)
    {
      const auto x = of_column[j](i, 0) + of_row(j, 0), y = of_column[j](i, 1) + of_row(j, 1),
                 z = of_column[j](i, 2) + of_row(j, 2);
      NEML2_UNROLL
      for (int k = 0; k < 3; k++)
        d(i, j, k) = x * w(0, k) + y * w(1, k) + z * w(2, k);
    }
  }
  return d;
}
} // namespace neml2::kernels
