// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Components.h"

#include <limits>

namespace neml2::kernels
{
/// Exchanges a and b where c holds.
template <class C, class T>
NEML2_INLINE constexpr void
swap_where(const C & c, T & a, T & b)
{
  const T t = where(c, b, a);
  b = where(c, a, b);
  a = t;
}

/// Inverse of the N×N matrix by Gauss-Jordan elimination with row pivoting; NaN where a pivot is 0. Each lane of a pack has its own
/// pivot rows. The loops are not unrolled, because such matrices do not fit into registers.
template <int N, class R>
NEML2_INLINE R
inverse_by_elimination(const R & matrix)
{
  using T = typename R::value_type;
  R a = matrix;
  decltype(a[0] < a[0]) swapped[N][N] = {};
  T determined(1.0); // NaN where a pivot is 0
  const auto at = [&](int i, int j) -> T & { return a[N * i + j]; };
  NEML2_KEEP_LOOP
  for (int k = 0; k < N; k++)
  {
    NEML2_KEEP_LOOP
    for (int i = k + 1; i < N; i++)
    {
      swapped[k][i] = abs(at(k, k)) < abs(at(i, k));
      NEML2_KEEP_LOOP
      for (int j = 0; j < N; j++)
        swap_where(swapped[k][i], at(k, j), at(i, j));
    }
    const auto is_zero = equals_zero(at(k, k));
    determined = where(is_zero, T(std::numeric_limits<double>::quiet_NaN()), determined);
    const T p = T(1.0 / where(is_zero, T(1.0), at(k, k)));
    at(k, k) = T(1.0); // column k is eliminated: from here on it holds the column of the inverse
    NEML2_KEEP_LOOP
    for (int j = 0; j < N; j++)
      at(k, j) = at(k, j) * p;
    NEML2_KEEP_LOOP
    for (int i = 0; i < N; i++)
      if (i != k)
      {
        const T f = at(i, k);
        at(i, k) = T(0.0);
        NEML2_KEEP_LOOP
        for (int j = 0; j < N; j++)
          at(i, j) = at(i, j) - f * at(k, j);
      }
  }
  NEML2_KEEP_LOOP
  for (int k = N - 1; k >= 0; k--) // swapped rows of the matrix are swapped columns of the inverse
    NEML2_KEEP_LOOP
  for (int i = N - 1; i > k; i--)
    NEML2_KEEP_LOOP
  for (int j = 0; j < N; j++)
    swap_where(swapped[k][i], at(j, k), at(j, i));
  return a * determined;
}
} // namespace neml2::kernels
