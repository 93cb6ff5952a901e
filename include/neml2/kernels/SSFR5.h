// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/drotate.h"
#include "neml2/kernels/skew_products.h"

namespace neml2::kernels
{
/// One fifth order tensor of two symmetric pairs and a full index, T_IJk at 18 I + 3 J + k.
template <class T>
struct SSFR5 : Components<T, 108>
{
  using Components<T, 108>::Components;
  NEML2_INLINE constexpr T & operator()(int i, int j, int k) { return this->v[18 * i + 3 * j + k]; }
  NEML2_INLINE constexpr const T & operator()(int i, int j, int k) const
  {
    return this->v[18 * i + 3 * j + k];
  }
};

/**
 * Derivative by r of R_im R_jn R_ko R_lp C_mnop.
 *
 * The spin w turns the result C by w_a (G_a C + C G_aᵀ), where G_a are the matrices of a spin about
 * axis a in Mandel components.
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
