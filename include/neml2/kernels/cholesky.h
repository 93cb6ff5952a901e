// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/solve.h"

/// The Cholesky factor of a symmetric positive definite matrix in a formula.
namespace neml2::kernels
{
/// The lower triangular L with L Lᵀ = S, where S is the symmetric part of A, a matrix of n columns; NaN where S is not
/// positive definite.
/// Source: Golub and Van Loan (2013), Matrix Computations, 4th ed., section 4.2.
template <int n, class R>
NEML2_INLINE R
cholesky_factor(const R & A)
{
  using T = typename R::value_type;
  using P = typename plain_number<T>::type;
  R L;
  P determined(1.0);
  each_of<n>(
      0,
      n,
      [&](int j) NEML2_INLINE_LAMBDA
      {
        T s = A[n * j + j];
        each_of<n>(0, j, [&](int k) NEML2_INLINE_LAMBDA { s = s - L[n * j + k] * L[n * j + k]; });
        const auto is_positive = s > 0.0;
        determined = where(is_positive, determined, P(std::numeric_limits<double>::quiet_NaN()));
        L[n * j + j] = sqrt(where(is_positive, s, T(1.0)));
        const T over = T(1.0 / L[n * j + j]);
        each_of<n>(j + 1,
                   n,
                   [&](int i) NEML2_INLINE_LAMBDA
                   {
                     T t = T(0.5 * (A[n * i + j] + A[n * j + i]));
                     each_of<n>(0,
                                j,
                                [&](int k) NEML2_INLINE_LAMBDA
                                { t = t - L[n * i + k] * L[n * j + k]; });
                     L[n * i + j] = t * over;
                   });
      });
  return L * determined; // determined is 1 or NaN; the product makes derivatives NaN, too
}

/// The gradient with respect to A from the gradient g with respect to L = cholesky(A). It is the symmetric part of L^-T P L^-1, where P is
/// the lower triangle of Lᵀ g with half its diagonal. Source: Murray (2016), Differentiation of the Cholesky decomposition,
/// arXiv:1602.07527, eq. 10.
template <int n, class R>
NEML2_INLINE R
cholesky_gradient(const R & L, const R & g)
{
  using T = typename R::value_type;
  R X;
  NEML2_UNROLL
  for (int i = 0; i < n; i++)
    NEML2_UNROLL
  for (int j = 0; j <= i; j++)
  {
    T s = L[n * i + i] * g[n * i + j];
    NEML2_UNROLL
    for (int k = i + 1; k < n; k++)
      s = s + L[n * k + i] * g[n * k + j];
    X[n * i + j] = i == j ? T(0.5 * s) : s;
  }
  // Solves Lᵀ Y = X in place, for X or for the transpose of X.
  const auto divide = [&](const auto & at) NEML2_INLINE_LAMBDA
  {
    NEML2_UNROLL
    for (int i = n - 1; i >= 0; i--)
    {
      const T over = T(1.0 / L[n * i + i]);
      NEML2_UNROLL
      for (int j = 0; j < n; j++)
      {
        T & x = X[at(i, j)];
        NEML2_UNROLL
        for (int k = i + 1; k < n; k++)
          x = x - L[n * k + i] * X[at(k, j)];
        x = x * over;
      }
    }
  };
  divide([](int i, int j) NEML2_INLINE_LAMBDA { return n * i + j; }); // L^-T from the left
  divide([](int i, int j) NEML2_INLINE_LAMBDA { return n * j + i; }); // L^-1 from the right
  NEML2_UNROLL
  for (int i = 0; i < n; i++)
    NEML2_UNROLL
  for (int j = 0; j < i; j++)
    X[n * i + j] = X[n * j + i] = T(0.5 * (X[n * i + j] + X[n * j + i]));
  return X;
}

template <class T>
NEML2_INLINE R2<T>
cholesky(const R2<T> & A)
{
  return cholesky_factor<3>(A);
}
template <class T>
NEML2_INLINE R2<T>
cholesky(const SR2<T> & s)
{
  return cholesky_factor<3>(full(s));
}
template <class T>
NEML2_INLINE SSR4<T>
cholesky(const SSR4<T> & C)
{
  return cholesky_factor<6>(C);
}
/// The Cholesky factor of a matrix whose type the program defines.
template <template <class> class R, class T, if_own_matrix<R<T>> = 0>
NEML2_INLINE R<T>
cholesky(const R<T> & A)
{
  return cholesky_factor<own_order<R<T>>>(A);
}

template <class T>
NEML2_INLINE R2<T>
cholesky_gradient(const R2<T> & L, const R2<T> & g)
{
  return cholesky_gradient<3>(L, g);
}
template <class T>
NEML2_INLINE SSR4<T>
cholesky_gradient(const SSR4<T> & L, const SSR4<T> & g)
{
  return cholesky_gradient<6>(L, g);
}
} // namespace neml2::kernels
