// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/SSR4.h"
#include "neml2/kernels/SWR4.h"
#include "neml2/kernels/WR2.h"
#include "neml2/kernels/WSR4.h"

namespace neml2::kernels
{
/// W_ik e_kj - e_ik W_kj, which is symmetric.
template <class A, class B>
NEML2_INLINE constexpr SR2<product_t<A, B>>
skew_and_sym_to_sym(const SR2<A> & e, const WR2<B> & w)
{
  using T = product_t<A, B>;
  const T x3 = w[0] * e[3], x4 = w[1] * e[4], x5 = w[2] * e[5];
  return {(x4 - x5) * sqrt2,
          (x5 - x3) * sqrt2,
          (x3 - x4) * sqrt2,
          w[2] * e[4] - w[1] * e[5] + w[0] * (e[1] - e[2]) * sqrt2,
          w[0] * e[5] - w[2] * e[3] + w[1] * (e[2] - e[0]) * sqrt2,
          w[1] * e[3] - w[0] * e[4] + w[2] * (e[0] - e[1]) * sqrt2};
}

/// Derivative of W_ik e_kj - e_ik W_kj with respect to e.
template <class T>
NEML2_INLINE constexpr SSR4<T>
d_skew_and_sym_to_sym_d_sym(const WR2<T> & w)
{
  SSR4<T> r;
  NEML2_UNROLL
  for (int a = 0; a < 3; a++)
  {
    const int b = (a + 1) % 3, c = (a + 2) % 3; // ε_abc = 1
    const T x = T(w[a] * sqrt2);
    r(c, 3 + a) = x;
    r(3 + a, c) = -x;
    r(b, 3 + a) = -x;
    r(3 + a, b) = x;
    r(3 + b, 3 + c) = w[a];
    r(3 + c, 3 + b) = -w[a];
  }
  return r;
}

/// Derivative of W_ik e_kj - e_ik W_kj with respect to the axial vector of W.
template <class T>
NEML2_INLINE constexpr SWR4<T>
d_skew_and_sym_to_sym_d_skew(const SR2<T> & e)
{
  SWR4<T> r;
  NEML2_UNROLL
  for (int a = 0; a < 3; a++)
  {
    const int b = (a + 1) % 3, c = (a + 2) % 3; // ε_abc = 1
    const T x = T(e[3 + a] * sqrt2);
    r(c, a) = x;
    r(b, a) = -x;
    r(3 + a, a) = (e[b] - e[c]) * sqrt2;
    r(3 + a, b) = -e[3 + c];
    r(3 + a, c) = e[3 + b];
  }
  return r;
}

/// The axial vector of a_ik b_kj - b_ik a_kj, which is skew.
template <class A, class B>
NEML2_INLINE constexpr WR2<product_t<A, B>>
multiply_and_make_skew(const SR2<A> & a, const SR2<B> & b)
{
  WR2<product_t<A, B>> r{Unset()};
  NEML2_UNROLL
  for (int i = 0; i < 3; i++)
  {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    r[i] = (a[3 + j] * b[3 + k] - a[3 + k] * b[3 + j]) * 0.5 +
           (a[3 + i] * (b[j] - b[k]) - b[3 + i] * (a[j] - a[k])) * invsqrt2;
  }
  return r;
}

/// Derivative with respect to a of the axial vector of a_ik b_kj - b_ik a_kj.
template <class T>
NEML2_INLINE constexpr WSR4<T>
d_multiply_and_make_skew_d_first(const SR2<T> & b)
{
  WSR4<T> r;
  NEML2_UNROLL
  for (int i = 0; i < 3; i++)
  {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const T x = T(b[3 + i] * invsqrt2);
    r(i, k) = x;
    r(i, j) = -x;
    r(i, 3 + i) = (b[j] - b[k]) * invsqrt2;
    r(i, 3 + j) = b[3 + k] * 0.5;
    r(i, 3 + k) = b[3 + j] * -0.5;
  }
  return r;
}

/// Derivative with respect to b of the axial vector of a_ik b_kj - b_ik a_kj.
template <class T>
NEML2_INLINE constexpr WSR4<T>
d_multiply_and_make_skew_d_second(const SR2<T> & a)
{
  return -d_multiply_and_make_skew_d_first(a);
}
} // namespace neml2::kernels
