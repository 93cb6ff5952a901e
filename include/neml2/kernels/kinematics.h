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

/// (F_ki F_kj - δ_ij) / 2 as (H_ij + H_ji + H_ki H_kj) / 2 with H = F - I, of the relative accuracy of H
template <class T>
NEML2_INLINE SR2<T>
green_lagrange(const R2<T> & F)
{
  const R2<T> H = plus_identity(F, -1.0);
  return sym(H) + right_cauchy_green(H) * 0.5;
}

/// What log(F_ki F_kj) / 2 is a function of.
template <class T>
NEML2_INLINE Logarithm<T>
logarithm_of_stretch(const R2<T> & F)
{
  return Logarithm<T>(right_cauchy_green(F), green_lagrange(F) * 2.0);
}

/// log(F_ki F_kj) / 2
template <class T>
NEML2_INLINE SR2<T>
hencky_strain(const R2<T> & F)
{
  return isotropic_value(logarithm_of_stretch(F)) * 0.5;
}
template <class T, int N>
NEML2_INLINE SR2<Dual<T, N>>
hencky_strain(const R2<Dual<T, N>> & F)
{
  return isotropic_dual(logarithm_of_stretch(values_of(F)), right_cauchy_green(F)) * T(0.5);
}

/// R of F = R U by Newton's iteration with scaling by norms, in a fixed number of steps that serves all
/// tensors that are not singular in float64.
/// Source: Higham (1986), SIAM J. Sci. Stat. Comput. 7, 1160-1174.
template <class T>
NEML2_INLINE R2<T>
polar_rotation(const R2<T> & F)
{
  using P = typename plain_number<T>::type;
  R2<T> X = F;
  constexpr int steps = 10;
  NEML2_KEEP_LOOP
  for (int k = 0; k < steps; k++)
  {
    const R2<T> Y = transpose(inv(X));
    const P scale = sqrt(P(value_norm(Y) / value_norm(X)));
    X = X * P(0.5 * scale) + Y * P(0.5 / scale);
  }
  return X;
}

/// U of F = R U, and V of F = V R.
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

/// R and U of F = R U.
template <class T>
NEML2_INLINE std::pair<R2<T>, SR2<T>>
polar(const R2<T> & F)
{
  const R2<T> R = polar_rotation(F);
  return {R, sym(transpose(R) * F)};
}

/// F_ik s_kl F_jl of a symmetric tensor, F_im F_jn F_ko F_lp C_mnop of a stiffness, and the inverse
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

/// F^-1_ki e_kl F^-1_lj, and the inverse
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
