// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/R4.h"

namespace neml2::kernels
{
/// A second order tensor as a full matrix.
template <class T>
NEML2_INLINE constexpr const R2<T> &
matrix_of(const R2<T> & a)
{
  return a;
}
template <class T>
NEML2_INLINE constexpr R2<T>
matrix_of(const SR2<T> & a)
{
  return full(a);
}

/// A_ik B_jl
template <class A, class B>
NEML2_INLINE constexpr R4<product_t<A, B>>
kron(const R2<A> & a, const R2<B> & b)
{
  R4<product_t<A, B>> r{Unset()};
  NEML2_UNROLL
  for (int ij = 0; ij < 9; ij++)
    NEML2_UNROLL
  for (int kl = 0; kl < 9; kl++)
    r[9 * ij + kl] = a(ij / 3, kl / 3) * b(ij % 3, kl % 3);
  return r;
}

/// A_il B_jk
template <class A, class B>
NEML2_INLINE constexpr R4<product_t<A, B>>
kron_transposed(const R2<A> & a, const R2<B> & b)
{
  R4<product_t<A, B>> r{Unset()};
  NEML2_UNROLL
  for (int ij = 0; ij < 9; ij++)
    NEML2_UNROLL
  for (int kl = 0; kl < 9; kl++)
    r[9 * ij + kl] = a(ij / 3, kl % 3) * b(ij % 3, kl / 3);
  return r;
}

/// (A_ik B_jl + A_il B_jk + B_ik A_jl + B_il A_jk) / 4 in Mandel components.
template <class A, class B>
NEML2_INLINE constexpr SSR4<product_t<A, B>>
sym_kron(const R2<A> & a, const R2<B> & b)
{
  SSR4<product_t<A, B>> r{Unset()};
  NEML2_UNROLL
  for (int p = 0; p < 6; p++)
  {
    const int i = mandel_index[p][0], j = mandel_index[p][1];
    NEML2_UNROLL
    for (int k = 0; k < 3; k++)
      if (p < 3)
        r(p, k) = a(i, k) * b(i, k);
      else
        r(p, k) = (a(i, k) * b(j, k) + a(j, k) * b(i, k)) * invsqrt2;
    NEML2_UNROLL
    for (int q = 3; q < 6; q++)
    {
      const int k = mandel_index[q][0], l = mandel_index[q][1];
      if (p < 3)
        r(p, q) = (a(i, k) * b(i, l) + a(i, l) * b(i, k)) * invsqrt2;
      else
        r(p, q) =
            (a(i, k) * b(j, l) + a(i, l) * b(j, k) + b(i, k) * a(j, l) + b(i, l) * a(j, k)) * 0.5;
    }
  }
  return r;
}

/// Enables an overload for two factors of type SR2 or R2, at least one of which is an SR2. The overload converts each SR2 to its matrix.
template <class A, class B>
using if_symmetric_factor = std::enable_if_t<(std::is_same_v<A, SR2<typename A::value_type>> &&
                                              (std::is_same_v<B, SR2<typename B::value_type>> ||
                                               std::is_same_v<B, R2<typename B::value_type>>)) ||
                                                 (std::is_same_v<A, R2<typename A::value_type>> &&
                                                  std::is_same_v<B, SR2<typename B::value_type>>),
                                             int>;

template <class A, class B, if_symmetric_factor<A, B> = 0>
NEML2_INLINE constexpr auto
kron(const A & a, const B & b)
{
  return kron(matrix_of(a), matrix_of(b));
}
template <class A, class B, if_symmetric_factor<A, B> = 0>
NEML2_INLINE constexpr auto
kron_transposed(const A & a, const B & b)
{
  return kron_transposed(matrix_of(a), matrix_of(b));
}
template <class A, class B, if_symmetric_factor<A, B> = 0>
NEML2_INLINE constexpr auto
sym_kron(const A & a, const B & b)
{
  return sym_kron(matrix_of(a), matrix_of(b));
}
} // namespace neml2::kernels
