// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Dual.h"
#include "neml2/kernels/elimination.h"

#include <cstring>
#include <type_traits>
#include <utility>

namespace neml2::kernels
{
/// The largest number of rows for which the loops over a matrix are unrolled. A device keeps larger matrices in memory
/// anyway, and loops make the code shorter.
#ifdef NEML2_ON_DEVICE
constexpr int most_unrolled_rows = 3;
#else
constexpr int most_unrolled_rows = 12;
#endif

/// f(i) for i in [begin, end), for a matrix of N rows. Where N is small the loop is unrolled, which is twice as fast;
/// otherwise it is kept, which compiles in seconds instead of minutes.
template <int N, class F>
NEML2_INLINE void
each_of(int begin, int end, const F & f)
{
  if constexpr (N <= most_unrolled_rows)
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

/// c - a b; in operations of the library, the compiler may round it once (a fused multiply-add).
template <class A, class B, class C>
NEML2_INLINE auto
subtract_product(const A & a, const B & b, const C & c)
{
  return c - a * b;
}

/// Whether T is one double, as where a formula runs at one point: a double, or a pack of one lane. A row of a matrix is then an array of
/// doubles. On devices it is false, because registers have no addresses.
template <class T, class = void>
constexpr bool is_one_double = false;

#ifndef NEML2_ON_DEVICE
template <>
inline constexpr bool is_one_double<double> = true;
template <class T>
constexpr bool
    is_one_double<T,
                  std::enable_if_t<T::width == 1 && std::is_same_v<typename T::Element, double>>> =
        true;
#endif

/// Calls f(j, V()) for arrays of n numbers, where V is a vector of the numbers j and j + 1, or the last number. Every CPU of 64 bits computes
/// two numbers at once.
template <class F>
NEML2_INLINE void
each_two(int n, const F & f)
{
  int j = 0;
#if defined(__GNUC__) && !defined(NEML2_ON_DEVICE)
  using Two = double __attribute__((vector_size(16)));
  for (; j + 1 < n; j += 2)
    f(j, Two());
#endif
  for (; j < n; j++)
    f(j, 0.0);
}

/// Replaces y by y - l x, for arrays of n numbers.
NEML2_INLINE void
subtract_multiple(double * y, double l, const double * x, int n)
{
  each_two(n,
           [&](int j, auto a) NEML2_INLINE_LAMBDA
           {
             auto b = a;
             std::memcpy(&a, x + j, sizeof(a));
             std::memcpy(&b, y + j, sizeof(b));
             a = l * a; // a statement of its own: clang would fuse the product with the difference
             b = b - a;
             std::memcpy(y + j, &b, sizeof(b));
           });
}
/// Exchanges arrays of n numbers.
NEML2_INLINE void
exchange(double * x, double * y, int n)
{
  each_two(n,
           [&](int j, auto a) NEML2_INLINE_LAMBDA
           {
             auto b = a;
             std::memcpy(&a, x + j, sizeof(a));
             std::memcpy(&b, y + j, sizeof(b));
             std::memcpy(x + j, &b, sizeof(b));
             std::memcpy(y + j, &a, sizeof(a));
           });
}

/**
 * Factors a matrix A of n rows, P A = L U, by Gaussian elimination with row pivoting. Each lane of a pack has its own pivot rows. A
 * factor `lu` has these members: a holds the matrix at first, and afterwards L and U; over is 1 / pivot; det is the determinant; swapped
 * tells in which lanes step k exchanged rows k and i; stays tells which steps exchanged none. All loops are calls of each_of<N>.
 *
 * Source: Golub and Van Loan (2013), Matrix Computations, 4th ed., algorithm 3.4.1.
 */
template <int N, class Factor>
NEML2_INLINE void
factor_lu(Factor & lu, int n)
{
  using T = std::decay_t<decltype(lu.det)>;
  auto singular = lu.a[0][0] < lu.a[0][0]; // whether a pivot is 0: false so far
  lu.det = T(1.0);
  // Exchanges rows k and i, with the multipliers of earlier steps, where row i has the larger pivot.
  const auto exchange = [&](int k, int i) NEML2_INLINE_LAMBDA
  {
    const auto c = abs(lu.a[k][k]) < abs(lu.a[i][k]);
    lu.swapped[k][i] = c;
    if (!any(c))
      return;
    lu.stays[k] = false;
    if constexpr (is_one_double<T>)
      kernels::exchange(
          reinterpret_cast<double *>(&lu.a[k][0]), reinterpret_cast<double *>(&lu.a[i][0]), n);
    else
      each_of<N>(0, n, [&](int j) NEML2_INLINE_LAMBDA { swap_where(c, lu.a[k][j], lu.a[i][j]); });
    lu.det = where(c, T(-lu.det), lu.det);
  };
  const auto eliminate = [&](int k, int i) NEML2_INLINE_LAMBDA
  {
    lu.a[i][k] = lu.a[i][k] * lu.over[k];
    if constexpr (is_one_double<T>)
    {
      double * const row = reinterpret_cast<double *>(&lu.a[i][0]);
      subtract_multiple(
          row + k + 1, row[k], reinterpret_cast<const double *>(&lu.a[k][0]) + k + 1, n - k - 1);
    }
    else
      each_of<N>(k + 1,
                 n,
                 [&](int j) NEML2_INLINE_LAMBDA
                 { lu.a[i][j] = subtract_product(lu.a[i][k], lu.a[k][j], lu.a[i][j]); });
  };
  each_of<N>(0,
             n,
             [&](int k) NEML2_INLINE_LAMBDA
             {
               lu.stays[k] = true;
               each_of<N>(k + 1, n, [&](int i) NEML2_INLINE_LAMBDA { exchange(k, i); });
               const auto is_zero = equals_zero(lu.a[k][k]);
               singular = singular | is_zero;
               lu.det = lu.det * lu.a[k][k];
               lu.over[k] = T(1.0 / where(is_zero, T(1.0), lu.a[k][k]));
               each_of<N>(k + 1, n, [&](int i) NEML2_INLINE_LAMBDA { eliminate(k, i); });
             });
  lu.over[n - 1] = where(singular, T(std::numeric_limits<double>::quiet_NaN()), lu.over[n - 1]);
}

/// Exchanges the rows of b that step k exchanged, in the lanes in which it did, in the same order or in the opposite one.
template <int N, bool is_opposite, class Factor, class B>
NEML2_INLINE void
swap_rows(const Factor & lu, int k, int n, B & b, int m)
{
  if (lu.stays[k])
    return;
  const auto swap = [&](int i) NEML2_INLINE_LAMBDA
  {
    const typename Factor::Condition c = lu.swapped[k][i];
    if (any(c))
      each_of<N>(0, m, [&](int j) NEML2_INLINE_LAMBDA { swap_where(c, b[k][j], b[i][j]); });
  };
  each_of<N>(k + 1, n, [&](int i) NEML2_INLINE_LAMBDA { swap(is_opposite ? n + k - i : i); });
}

/// Replaces b by the solution x of A x = b, for m right-hand sides at once; NaN where A is singular.
template <int N, class Factor, class B>
NEML2_INLINE void
solve_lu(const Factor & lu, int n, B & b, int m)
{
  const auto subtract = [&](int i, int k) NEML2_INLINE_LAMBDA
  {
    each_of<N>(0,
               m,
               [&](int j) NEML2_INLINE_LAMBDA
               { b[i][j] = subtract_product(lu.a[i][k], b[k][j], b[i][j]); });
  };
  each_of<N>(0, n, [&](int k) NEML2_INLINE_LAMBDA { swap_rows<N, false>(lu, k, n, b, m); });
  each_of<N>(0,
             n,
             [&](int k) NEML2_INLINE_LAMBDA
             { each_of<N>(k + 1, n, [&](int i) NEML2_INLINE_LAMBDA { subtract(i, k); }); });
  each_of<N>(0,
             n,
             [&](int last) NEML2_INLINE_LAMBDA
             {
               const int k = n - 1 - last;
               each_of<N>(0, m, [&](int j) NEML2_INLINE_LAMBDA { b[k][j] = b[k][j] * lu.over[k]; });
               each_of<N>(0, k, [&](int i) NEML2_INLINE_LAMBDA { subtract(i, k); });
             });
}

/// Replaces b by the solution x of Aᵀ x = b, for m right-hand sides at once; NaN where A is singular.
template <int N, class Factor, class B>
NEML2_INLINE void
solve_lu_transposed(const Factor & lu, int n, B & b, int m)
{
  const auto subtract = [&](int i, int k) NEML2_INLINE_LAMBDA
  {
    each_of<N>(0,
               m,
               [&](int j) NEML2_INLINE_LAMBDA
               { b[i][j] = subtract_product(lu.a[k][i], b[k][j], b[i][j]); });
  };
  each_of<N>(0,
             n,
             [&](int k) NEML2_INLINE_LAMBDA
             {
               each_of<N>(0, m, [&](int j) NEML2_INLINE_LAMBDA { b[k][j] = b[k][j] * lu.over[k]; });
               each_of<N>(k + 1, n, [&](int i) NEML2_INLINE_LAMBDA { subtract(i, k); });
             });
  const auto from_last = [&](const auto & f) NEML2_INLINE_LAMBDA
  { each_of<N>(0, n, [&](int k) NEML2_INLINE_LAMBDA { f(n - 1 - k); }); };
  from_last([&](int k) NEML2_INLINE_LAMBDA
            { each_of<N>(0, k, [&](int i) NEML2_INLINE_LAMBDA { subtract(i, k); }); });
  from_last([&](int k) NEML2_INLINE_LAMBDA { swap_rows<N, true>(lu, k, n, b, m); });
}

/// A matrix of N rows factored once, for any number of right-hand sides.
template <int N, class T>
struct LU
{
  using Condition = std::decay_t<decltype(std::declval<const T &>() < std::declval<const T &>())>;

  T a[N][N];          ///< U, and below its diagonal the multipliers of L
  T over[N];          ///< 1 / pivot; the last one is NaN where the matrix is singular
  T det;              ///< the determinant
  bool stays[N] = {}; ///< whether step k exchanged no rows in any lane; false if this is not known
  Condition swapped[N][N] =
      {}; ///< in which lanes step k exchanged rows k and i; initialised because some compilers would warn

  /// Factors the matrix that the member `a` contains, in place.
  NEML2_INLINE void factor() { factor_lu<N>(*this, N); }
  /// Replaces b by the solution x of A x = b, for M right-hand sides at once; NaN where A is singular.
  template <int M>
  NEML2_INLINE void solve(T (&b)[N][M]) const
  {
    solve_lu<N>(*this, N, b, M);
  }
  /// Replaces b by the solution x of Aᵀ x = b.
  template <int M>
  NEML2_INLINE void solve_transposed(T (&b)[N][M]) const
  {
    solve_lu_transposed<N>(*this, N, b, M);
  }
};

/// The LU factors of the values of a matrix of n columns.
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
