// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Components.h"

namespace neml2::kernels
{
/// Row i of the matrix product of row-major (m, k) and (k, n) components.
template <int K, int N, class R, class A, class B>
NEML2_INLINE constexpr void
matmul_row(R & r, int i, const A & a, const B & b)
{
  NEML2_UNROLL
  for (int j = 0; j < N; j++)
  {
    typename R::value_type s = a[K * i] * b[j];
    NEML2_UNROLL
    for (int k = 1; k < K; k++)
      s = s + a[K * i + k] * b[N * k + j];
    r[N * i + j] = s;
  }
}

/// Matrix product of row-major (m, k) and (k, n) components.
template <int M, int K, int N, class R, class A, class B>
NEML2_INLINE constexpr R
matmul(const Components<A, M * K> & a, const Components<B, K * N> & b)
{
  R r{Unset()};
  if constexpr (M * K * N <= 81)
  {
    NEML2_UNROLL
    for (int i = 0; i < M; i++)
      matmul_row<K, N>(r, i, a, b);
  }
  else
  {
    NEML2_KEEP_LOOP
    for (int i = 0; i < M; i++)
      matmul_row<K, N>(r, i, a, b);
  }
  return r;
}
} // namespace neml2::kernels
