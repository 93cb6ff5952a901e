// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/R4.h"
#include "neml2/kernels/lu.h"

#include <utility>

/// Systems of linear equations in a formula, by elimination with pivoting. Elimination is used for 3×3 matrices, too, because the residual
/// of a solution by cofactors would grow with the condition number of the matrix.
namespace neml2::kernels
{
/// Rows and columns of a shape of one or two dimensions.
template <class I, I n, I... m>
constexpr std::enable_if_t<sizeof...(m) < 2, int>
rows_of(std::integer_sequence<I, n, m...>)
{
  return int(n);
}
template <class I, I n, I... m>
constexpr std::enable_if_t<sizeof...(m) < 2, int>
columns_of(std::integer_sequence<I, n, m...>)
{
  return int((I(1) * ... * m));
}

/// The number of right-hand sides (columns of B) of a system with the matrix A; 0 if A and B do not make a system. For row types (types of
/// tensors in formulas) that the program defines, it follows from their shapes.
template <class A, class B, class = void>
constexpr int right_sides = 0;
template <class T, class U>
constexpr int right_sides<R2<T>, Vec<U>> = 1;
template <class T, class U>
constexpr int right_sides<R2<T>, R2<U>> = 3;
template <class T, class U>
constexpr int right_sides<SSR4<T>, SR2<U>> = 1;
template <class T, class U>
constexpr int right_sides<SSR4<T>, SSR4<U>> = 6;
template <class T, class U>
constexpr int right_sides<R4<T>, R2<U>> = 1;
template <class T, class U>
constexpr int right_sides<R4<T>, R4<U>> = 9;
template <class A, class B>
constexpr int
    right_sides<A,
                B,
                std::enable_if_t<rows_of(typename A::shape()) == columns_of(typename A::shape()) &&
                                 rows_of(typename A::shape()) == rows_of(typename B::shape())>> =
        columns_of(typename B::shape());

/// The order n of an n×n matrix whose type the program defines; 0 for other types.
template <class A>
constexpr int own_order = right_sides<A, A>;
template <class T>
constexpr int own_order<R2<T>> = 0;
template <class T>
constexpr int own_order<SSR4<T>> = 0;
template <class T>
constexpr int own_order<R4<T>> = 0;

/// Whether A is a batch of matrices and B a batch of right-hand sides that fit them, both of types that the caller defines. if_own_batch
/// requires only that A is such a batch of matrices.
template <class A, class B, class = void>
constexpr bool is_own_system = false;
template <class A, class B>
constexpr bool
    is_own_system<A,
                  B,
                  std::void_t<typename A::template Row<double>, typename B::template Row<double>>> =
        own_order<typename A::template Row<double>> > 0 &&
        right_sides<typename A::template Row<double>, typename B::template Row<double>> > 0;
template <class A, class B>
using if_own_system = std::enable_if_t<is_own_system<A, B>, int>;
template <class A>
using if_own_batch = std::enable_if_t<is_own_system<A, A>, int>;

template <class A, class B>
using if_right_side = std::enable_if_t<(right_sides<A, B> > 0), int>;
template <class A>
using if_own_matrix = std::enable_if_t<(own_order<A> > 0), int>;

/// The solution x of A x = b, for one right-hand side or for several in columns; NaN where A is singular. The values of A are
/// factored once, also for the derivatives A^-1 (db - dA x).
template <template <class> class M,
          template <class>
          class V,
          class A,
          class B,
          if_right_side<M<A>, V<B>> = 0>
NEML2_INLINE V<product_t<A, B>>
solve(const M<A> & a, const V<B> & b)
{
  using Result = product_t<A, B>;
  using T = typename plain_number<Result>::type;
  constexpr int N = V<B>::n, m = right_sides<M<A>, V<B>>, n = N / m;
  LU<n, T> lu;
  NEML2_UNROLL
  for (int i = 0; i < n * n; i++)
    lu.a[i / n][i % n] = T(value_in<Result>(a[i]));
  lu.factor();
  V<Result> r{Unset()};
  T x[n][m];
  NEML2_UNROLL
  for (int i = 0; i < N; i++)
    x[i / m][i % m] = T(value_in<Result>(b[i]));
  lu.solve(x);
  if constexpr (std::is_same_v<Result, T>)
  {
    NEML2_UNROLL
    for (int i = 0; i < N; i++)
      r[i] = x[i / m][i % m];
  }
  else
  {
    NEML2_UNROLL
    for (int i = 0; i < N; i++)
      r[i].x = x[i / m][i % m];
    NEML2_KEEP_LOOP
    for (int k = 0; k < partials<Result>; k++)
    {
      T d[n][m];
      NEML2_UNROLL
      for (int i = 0; i < N; i++)
      {
        d[i / m][i % m] = derivative_in<Result>(b[i], k);
        if constexpr (std::is_same_v<A, Result>)
          NEML2_UNROLL
        for (int j = 0; j < n; j++)
          d[i / m][i % m] = d[i / m][i % m] - derivative(a[n * (i / m) + j], k) * x[j][i % m];
      }
      lu.solve(d);
      NEML2_UNROLL
      for (int i = 0; i < N; i++)
        r[i].d[k] = d[i / m][i % m];
    }
  }
  return r;
}

/// The gradient with respect to A, -h xᵀ with Aᵀ h = g, where x is the solution of A x = b and g is the gradient with respect to x. The
/// matrix is factored once.
template <template <class> class M,
          template <class>
          class V,
          class T,
          if_right_side<M<T>, V<T>> = 0>
NEML2_INLINE M<T>
solve_gradient(const V<T> & g, const M<T> & a, const V<T> & b)
{
  constexpr int N = V<T>::n, m = right_sides<M<T>, V<T>>, n = N / m;
  const auto lu = factored<n, T>(a);
  T x[n][m], h[n][m];
  NEML2_UNROLL
  for (int i = 0; i < N; i++)
  {
    x[i / m][i % m] = b[i];
    h[i / m][i % m] = g[i];
  }
  lu.solve(x);
  lu.solve_transposed(h);
  M<T> r{Unset()};
  NEML2_KEEP_LOOP
  for (int i = 0; i < n; i++)
    NEML2_UNROLL
  for (int j = 0; j < n; j++)
  {
    T s = h[i][0] * x[j][0];
    NEML2_UNROLL
    for (int k = 1; k < m; k++)
      s = s + h[i][k] * x[j][k];
    r[n * i + j] = -s;
  }
  return r;
}

/// Inverse of a matrix whose type the program defines; NaN where the matrix is singular.
template <template <class> class R, class T, if_own_matrix<R<T>> = 0>
NEML2_INLINE R<T>
inv(const R<T> & a)
{
  constexpr int n = own_order<R<T>>;
  using P = typename plain_number<T>::type;
  R<P> identity{Unset()};
  NEML2_UNROLL
  for (int i = 0; i < n * n; i++)
    identity[i] = P(i / n == i % n ? 1.0 : 0.0);
  return solve(a, identity);
}

/// Determinant of a matrix whose type the program defines.
template <template <class> class R, class T, if_own_matrix<R<T>> = 0>
NEML2_INLINE T
det(const R<T> & a)
{
  return determinant<own_order<R<T>>>(a);
}
} // namespace neml2::kernels
