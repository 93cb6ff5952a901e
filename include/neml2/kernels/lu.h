// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Dual.h"
#include "neml2/kernels/elimination.h"

#include <type_traits>
#include <utility>

namespace neml2::kernels
{
/// f(i) for i in [begin, end), of a matrix of N rows: unrolled up to 12, which is twice as fast, else a loop, which compiles in
/// seconds instead of minutes.
template <int N, class F>
NEML2_INLINE void
each_of(int begin, int end, const F & f)
{
  if constexpr (N <= 12)
  {
    NEML2_UNROLL
    for (int i = begin; i < end; i++)
      f(i);
  }
  else
  {
    NEML2_KEEP_LOOP
    for (int i = begin; i < end; i++)
      f(i);
  }
}

/**
 * P A = L U of an N×N matrix by Gaussian elimination with row pivoting, its rows chosen lane by lane: factored once, for any
 * number of right sides.
 *
 * Source: Golub and Van Loan (2013), Matrix Computations, 4th ed., algorithm 3.4.1.
 */
template <int N, class T>
struct LU
{
  using Condition = std::decay_t<decltype(std::declval<const T &>() < std::declval<const T &>())>;

  T a[N][N]; ///< U, and below its diagonal the multipliers of L
  T over[N]; ///< 1 / pivot; the last is NaN where the matrix is singular
  T det;     ///< the determinant
  Condition swapped[N][N] =
      {}; ///< where step k exchanged rows k and i; set for compilers that do not see that it will be

  /// Factors the matrix that is in a.
  NEML2_INLINE void factor()
  {
    auto singular = a[0][0] < a[0][0]; // a pivot is 0
    det = T(1.0);
    each_of<N>(0,
               N,
               [&](int k) NEML2_INLINE_LAMBDA
               {
                 each_of<N>(k + 1, N, [&](int i) NEML2_INLINE_LAMBDA { exchange(k, i); });
                 const auto is_zero = equals_zero(a[k][k]);
                 singular = singular | is_zero;
                 det = det * a[k][k];
                 over[k] = T(1.0 / where(is_zero, T(1.0), a[k][k]));
                 each_of<N>(k + 1, N, [&](int i) NEML2_INLINE_LAMBDA { eliminate(k, i); });
               });
    over[N - 1] = where(singular, T(std::numeric_limits<double>::quiet_NaN()), over[N - 1]);
  }

  /// Replaces b by the x of A x = b, of M right sides at once; NaN where A is singular.
  template <int M>
  NEML2_INLINE void solve(T (&b)[N][M]) const
  {
    const auto subtract = [&](int i, int k) NEML2_INLINE_LAMBDA {
      each_of<N>(0, M, [&](int m) NEML2_INLINE_LAMBDA { b[i][m] = b[i][m] - a[i][k] * b[k][m]; });
    };
    each_of<N>(0,
               N,
               [&](int k) NEML2_INLINE_LAMBDA
               {
                 each_of<N>(k + 1,
                            N,
                            [&](int i) NEML2_INLINE_LAMBDA
                            {
                              const auto & c = swapped[k][i];
                              if (any(c))
                                each_of<N>(0,
                                           M,
                                           [&](int m) NEML2_INLINE_LAMBDA
                                           { swap_where(c, b[k][m], b[i][m]); });
                            });
               });
    each_of<N>(0,
               N,
               [&](int k) NEML2_INLINE_LAMBDA
               { each_of<N>(k + 1, N, [&](int i) NEML2_INLINE_LAMBDA { subtract(i, k); }); });
    each_of<N>(0,
               N,
               [&](int n) NEML2_INLINE_LAMBDA
               {
                 const int k = N - 1 - n;
                 each_of<N>(0, M, [&](int m) NEML2_INLINE_LAMBDA { b[k][m] = b[k][m] * over[k]; });
                 each_of<N>(0, k, [&](int i) NEML2_INLINE_LAMBDA { subtract(i, k); });
               });
  }

private:
  /// Exchanges rows k and i where that of i has the larger pivot, with the multipliers of the steps before.
  NEML2_INLINE void exchange(int k, int i)
  {
    const Condition c = abs(a[k][k]) < abs(a[i][k]);
    swapped[k][i] = c;
    if (!any(c))
      return;
    each_of<N>(0, N, [&](int j) NEML2_INLINE_LAMBDA { swap_where(c, a[k][j], a[i][j]); });
    det = where(c, T(-det), det);
  }
  NEML2_INLINE void eliminate(int k, int i)
  {
    a[i][k] = a[i][k] * over[k];
    each_of<N>(k + 1, N, [&](int j) NEML2_INLINE_LAMBDA { a[i][j] = a[i][j] - a[i][k] * a[k][j]; });
  }
};

/// The values of a matrix of n columns, factored.
template <int n, class T, class A>
NEML2_INLINE LU<n, T>
factored(const A & a)
{
  LU<n, T> lu;
  NEML2_UNROLL
  for (int i = 0; i < n * n; i++)
    lu.a[i / n][i % n] = T(value(a[i]));
  lu.factor();
  return lu;
}

/// The determinant of a matrix of n columns. Its derivative is det(A) A^-1_ji, NaN where A is singular.
template <int n, class A>
NEML2_INLINE auto
determinant(const A & a)
{
  using Result = typename A::value_type;
  using T = typename plain_number<Result>::type;
  const auto lu = factored<n, T>(a);
  if constexpr (partials<Result> == 0)
    return lu.det;
  else
  {
    T x[n][n];
    NEML2_UNROLL
    for (int i = 0; i < n * n; i++)
      x[i / n][i % n] = T(i / n == i % n ? 1.0 : 0.0);
    lu.solve(x);
    Result r(lu.det);
    NEML2_UNROLL
    for (int i = 0; i < n * n; i++)
      r = Result::chain(r.x, T(1.0), r, T(lu.det * x[i % n][i / n]), a[i]);
    return r;
  }
}
} // namespace neml2::kernels
