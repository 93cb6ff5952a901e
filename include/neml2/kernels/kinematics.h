// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/isotropic_functions.h"
#include "neml2/kernels/matrix_functions.h"

namespace neml2::kernels
{
/// F_ki F_kj
template <class T>
NEML2_INLINE constexpr SR2<T>
right_cauchy_green(const R2<T> & F)
{
  SR2<T> r{Unset()};
  NEML2_UNROLL
  for (int p = 0; p < 6; p++)
  {
    const int i = mandel_index[p][0], j = mandel_index[p][1];
    const T x = T(F(0, i) * F(0, j) + F(1, i) * F(1, j) + F(2, i) * F(2, j));
    r[p] = p < 3 ? x : T(x * sqrt2);
  }
  return r;
}

/// F_ik F_jk
template <class T>
NEML2_INLINE constexpr SR2<T>
left_cauchy_green(const R2<T> & F)
{
  return right_cauchy_green(transpose(F));
}

/// (F_ki F_kj - δ_ij) / 2, computed as (H_ij + H_ji + H_ki H_kj) / 2 with H = F - I: it has the relative accuracy of H
template <class T>
NEML2_INLINE SR2<T>
green_lagrange(const R2<T> & F)
{
  const R2<T> H = plus_identity(F, -1.0);
  return sym(H) + right_cauchy_green(H) * typename plain_number<T>::type(0.5);
}

/// Improves R, an approximation of the rotation of F. The result is R times Cayley's rotation by ω, where (tr(U) I - U) ω =
/// skew_adjoint(Rᵀ F) and U is the symmetric part of Rᵀ F; ω is 0 if Rᵀ F is symmetric.
template <class T>
NEML2_INLINE R2<T>
refined_rotation(const R2<T> & F, const R2<T> & R)
{
  const R2<T> D = transpose(R) * (F / largest_component(F));
  const SR2<T> U = sym(D);
  const Vec<T> w = full(inv(vol(U) * T(3.0) - U)) * Vec<T>(D[7] - D[5], D[2] - D[6], D[3] - D[1]);
  const R2<T> W = skew(w);
  return R + R * (W + W * W * T(0.5)) * T(1.0 / (1.0 + 0.25 * norm_sq(w))); // Cayley's rotation
}

/// The rotation of F with its derivatives; x has the values of F, and R the values of the rotation. Along dF the derivative is
/// R skew(ω), where (tr(U) I - U) ω = skew_adjoint(Rᵀ dF) and U = Rᵀ F.
template <class T, class X>
NEML2_INLINE R2<T>
rotation_with_partials(const R2<T> & F, const X & x, const X & R)
{
  const auto Rt = transpose(R);
  const auto U = sym(Rt * x);
  using P = typename plain_number<T>::type;
  const auto compliance = full(inv(vol(U) * P(3.0) - U));
  R2<T> r{Unset()};
  set_values(r, R);
  NEML2_UNROLL
  for (int k = 0; k < partials<T>; k++)
  {
    const auto D = Rt * partials_of(F, k);
    const Vec<typename X::value_type> axial(D[7] - D[5], D[2] - D[6], D[3] - D[1]);
    set_partials(r, k, R * skew(compliance * axial));
  }
  return r;
}

/// R of F = R U by Newton's iteration with scaling by norms. Each lane of a pack takes the steps that it needs.
/// Source: Higham (1986), SIAM J. Sci. Stat. Comput. 7, 1160-1174.
template <class T>
NEML2_INLINE R2<T>
polar_rotation(const R2<T> & F)
{
  if constexpr (partials < T >> 0)
  {
    const auto x = values_of(F);
    return rotation_with_partials(F, x, polar_rotation(x));
  }
  else
  {
    R2<T> X = F / largest_component(F);
    T last(1.0);
    auto active = last > 0.0;
    constexpr int steps = 16;
    NEML2_KEEP_LOOP
    for (int k = 0; k < steps; k++)
    {
      const R2<T> Y = transpose(inv(X));
      const T scale = where(last > 1e-2, sqrt(T(value_norm(Y) / value_norm(X))), T(1.0));
      const R2<T> next = X * T(0.5 * scale) + Y * T(0.5 / scale);
      const T change = value_norm(next - X);
      X = where(active, next, X);
      last = where(active, change, last);
      active = active & (change > 1e-9);
      if (!any(active))
        break;
    }
    const auto ill = is_ill_conditioned(F, 70);
    return NEML2_RARELY(any(ill)) ? where(ill, refined_rotation(F, refined_rotation(F, X)), X) : X;
  }
}

/// The rotation, of determinant 1, that is closest to A. Where det A > 0 it is polar_rotation(A); where det A < 0, polar_rotation(A) is
/// combined with a reflection of the direction of the smallest stretch.
template <class T>
NEML2_INLINE R2<T>
nearest_rotation(const R2<T> & A)
{
  if constexpr (partials < T >> 0)
  {
    const auto x = values_of(A);
    return rotation_with_partials(A, x, nearest_rotation(x));
  }
  else
  {
    const R2<T> R = polar_rotation(A);
    const auto vectors = eigh(sym(transpose(R) * A)).second;
    const Vec<T> v(vectors[0], vectors[3], vectors[6]);
    return R - outer(R * v, v) * where(det_by_cofactors(R) < 0.0, T(2.0), T(0.0));
  }
}

/// The eigenvalues of U, where F = R U.
template <class T>
NEML2_INLINE Vec<T>
principal_stretches(const R2<T> & F)
{
  return eigh(sym(transpose(polar_rotation(F)) * F)).first;
}

/// U with F = R U, and V with F = V R.
template <class T>
NEML2_INLINE SR2<T>
right_stretch(const R2<T> & F)
{
  return sym(transpose(polar_rotation(F)) * F);
}
template <class T>
NEML2_INLINE SR2<T>
left_stretch(const R2<T> & F)
{
  return sym(F * transpose(polar_rotation(F)));
}

/// The function Logarithm of C = F_ki F_kj. The condition number of C is the square of the condition number of F. Where F is ill
/// conditioned, the small eigenvalues of C are lost in its round-off: there the eigenvalues are computed as the squares of those of U.
template <class T>
struct LogarithmOfStretch : Logarithm<T>
{
  using typename Logarithm<T>::Mask;
  Mask by_stretch;

  NEML2_INLINE LogarithmOfStretch(const R2<T> & F, const Mask & ill)
    : Logarithm<T>(right_cauchy_green(F), green_lagrange(F) * T(2.0)), by_stretch(ill)
  {
    if (!NEML2_RARELY(any(ill)))
      return;
    this->is_near = this->is_near & !ill;
    this->decomposed = where(ill, right_stretch(F), this->decomposed);
  }
};
template <class T>
NEML2_INLINE std::pair<Vec<T>, R2<T>>
eigenpairs(const LogarithmOfStretch<T> & f)
{
  auto r = eigh(f.decomposed);
  NEML2_UNROLL
  for (int i = 0; i < 3; i++)
    r.first[i] = where(f.by_stretch, T(r.first[i] * abs(r.first[i])), r.first[i]);
  return r;
}

/// log(F_ki F_kj) / 2; where F is ill conditioned, or very large or small, F is first divided by a number of its magnitude.
template <class T>
NEML2_INLINE SR2<T>
hencky_strain(const R2<T> & F)
{
  using std::log;
  using P = typename innermost_number<T>::type;
  const R2<P> x = plain_part(F);
  const auto ill = is_ill_conditioned(x, 70);
  const P scale = where(ill, largest_component(x), P(1.0));
  SR2<T> r{Unset()};
  if constexpr (dual_levels < T >> 2)
    r = ByProducts<Logarithm>::of(right_cauchy_green(F / scale)) * P(0.5);
  else if constexpr (dual_levels < T >> 0)
    r = isotropic_dual(LogarithmOfStretch<P>(x / scale, ill), right_cauchy_green(F / scale)) *
        P(0.5);
  else
    r = isotropic_value(LogarithmOfStretch<P>(x / scale, ill)) * P(0.5);
  const P shift = log(scale);
  NEML2_UNROLL
  for (int i = 0; i < 3; i++)
    r[i] = r[i] + shift;
  return r;
}

/// R and U with F = R U.
template <class T>
NEML2_INLINE std::pair<R2<T>, SR2<T>>
polar(const R2<T> & F)
{
  const R2<T> R = polar_rotation(F);
  return {R, sym(transpose(R) * F)};
}

/// F_ik s_kl F_jl of a symmetric tensor, F_im F_jn F_ko F_lp C_mnop of a stiffness, and the inverse map
template <template <class> class Tensor, class A, class B, if_row<Tensor, A> = 0>
NEML2_INLINE auto
push_forward(const Tensor<A> & a, const R2<B> & F)
{
  return rotate(a, F);
}
template <template <class> class Tensor, class A, class B, if_row<Tensor, A> = 0>
NEML2_INLINE auto
pull_back(const Tensor<A> & a, const R2<B> & F)
{
  return rotate(a, inv(F));
}

/// F^-1_ki e_kl F^-1_lj, and the inverse map
template <class A, class B>
NEML2_INLINE auto
push_forward_covariant(const SR2<A> & e, const R2<B> & F)
{
  return rotate(e, transpose(inv(F)));
}
template <class A, class B>
NEML2_INLINE auto
pull_back_covariant(const SR2<A> & e, const R2<B> & F)
{
  return rotate(e, transpose(F));
}
} // namespace neml2::kernels
