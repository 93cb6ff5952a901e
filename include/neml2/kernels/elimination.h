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

/// Inverse of the N×N matrix by Gauss-Jordan elimination with row pivoting, its rows chosen lane by lane;
/// NaN where a pivot is 0. The loops stay loops: for matrices too large for registers.
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
    at(k, k) = T(1.0); // column k is done with: it takes that of the inverse
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

/**
 * L and U of an N×N matrix by Gauss elimination with row pivoting, its rows chosen lane by lane, for any number of right
 * sides. What it solves is NaN where a pivot is 0.
 */
template <int N, class T>
struct Elimination
{
  using Condition = decltype(std::declval<T>() < std::declval<T>());

  T a[N][N];               ///< the matrix, then U, 1 / its diagonal, and the factors of L
  Condition swapped[N][N]; ///< which rows were exchanged before column k was eliminated

  NEML2_INLINE void factor()
  {
    for (int k = 0; k < N; k++)
    {
      for (int i = k + 1; i < N; i++)
      {
        swapped[k][i] = abs(a[k][k]) < abs(a[i][k]);
        if (any(swapped[k][i]))
          for (int j = k; j < N; j++)
            swap_where(swapped[k][i], a[k][j], a[i][j]);
      }
      const auto is_zero = equals_zero(a[k][k]);
      const T p = where(is_zero,
                        T(std::numeric_limits<double>::quiet_NaN()),
                        T(1.0 / where(is_zero, T(1.0), a[k][k])));
      a[k][k] = p;
      for (int i = k + 1; i < N; i++)
      {
        const T f = a[i][k] * p;
        a[i][k] = f;
        for (int j = k + 1; j < N; j++)
          a[i][j] = a[i][j] - f * a[k][j];
      }
    }
  }

  /// Replaces the M right sides b by the solutions.
  template <int M>
  NEML2_INLINE void solve(T (&b)[N][M]) const
  {
    for (int k = 0; k < N; k++)
    {
      for (int i = k + 1; i < N; i++)
        if (any(swapped[k][i]))
          for (int m = 0; m < M; m++)
            swap_where(swapped[k][i], b[k][m], b[i][m]);
      for (int i = k + 1; i < N; i++)
        for (int m = 0; m < M; m++)
          b[i][m] = b[i][m] - a[i][k] * b[k][m];
    }
    for (int k = N - 1; k >= 0; k--)
      for (int m = 0; m < M; m++)
      {
        T s = b[k][m];
        for (int j = k + 1; j < N; j++)
          s = s - a[k][j] * b[j][m];
        b[k][m] = s * a[k][k];
      }
  }
};

/// Replaces b by the x of A x = b, of M right sides at once. A is used up.
template <int N, int M, class T>
NEML2_INLINE void
solve_by_elimination(T (&A)[N][N], T (&b)[N][M])
{
  Elimination<N, T> lu;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      lu.a[i][j] = A[i][j];
  lu.factor();
  lu.solve(b);
}
} // namespace neml2::kernels
