// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Dual.h"
#include "neml2/kernels/R4.h"
#include "neml2/kernels/lu.h"

#include <cmath>
#include <limits>

/**
 * Exponential, logarithm and square root of any second order tensor. The algorithms use only products and inverses, and therefore work
 * for duals as well.
 *
 * Each lane of a pack (one row per lane) takes the steps that it needs and keeps its result while others continue, so that the result of
 * a row does not depend on the other rows of its pack.
 */
namespace neml2::kernels
{
/// √(A_ij A_ij) of the values of A, without derivatives.
template <class T>
NEML2_INLINE auto
value_norm(const R2<T> & A)
{
  auto s = innermost(A[0]) * innermost(A[0]);
  NEML2_UNROLL
  for (int i = 1; i < 9; i++)
    s = s + innermost(A[i]) * innermost(A[i]);
  return sqrt(s);
}

/// The values of A.
template <class T>
NEML2_INLINE auto
plain_part(const R2<T> & A)
{
  R2<typename innermost_number<T>::type> r{Unset()};
  NEML2_UNROLL
  for (int i = 0; i < 9; i++)
    r[i] = innermost(A[i]);
  return r;
}

/// The largest |A_ij|, without derivatives.
template <class T>
NEML2_INLINE auto
largest_component(const R2<T> & A)
{
  using P = typename innermost_number<T>::type;
  P r = abs(P(innermost(A[0])));
  NEML2_UNROLL
  for (int i = 1; i < 9; i++)
    r = maximum(r, abs(P(innermost(A[i]))));
  return r;
}

/// A where the condition holds, otherwise NaN; the derivatives are then NaN, too.
template <class C, class T>
NEML2_INLINE R2<T>
only_where(const C & c, const R2<T> & A)
{
  using P = typename innermost_number<T>::type;
  return A * where(c, P(1.0), P(std::numeric_limits<double>::quiet_NaN()));
}

template <class T>
NEML2_INLINE R2<T>
plus_identity(const R2<T> & A, double x)
{
  R2<T> r = A;
  NEML2_UNROLL
  for (int i = 0; i < 3; i++)
    r(i, i) = A(i, i) + typename innermost_number<T>::type(x);
  return r;
}

/// The largest column sum of |A_ij|, without derivatives.
template <class T>
NEML2_INLINE auto
largest_column(const R2<T> & A)
{
  using P = typename innermost_number<T>::type;
  P norm(0.0);
  NEML2_UNROLL
  for (int j = 0; j < 3; j++)
    norm = maximum(norm,
                   P(abs(innermost(A(0, j))) + abs(innermost(A(1, j))) + abs(innermost(A(2, j)))));
  return norm;
}

/// The number of halvings of B that were not needed. The norm of B is at most the limit of the Padé approximant. The error of e^B depends
/// on the powers B6 = B^6 and B8 = B^8, not on the norm of B, unless the round-off of the approximant grows with the powers of |B|.
/// Source: Al-Mohy and Higham (2009), SIAM J. Matrix Anal. Appl. 31, 970-989, algorithm 5.1.
template <class P>
NEML2_INLINE P
halved_too_often(const R2<P> & B, const R2<P> & B6, const R2<P> & B8)
{
  const P spared =
      each_lane(maximum(P(largest_column(B6) * largest_column(B6)), // |B6|^(12/6) and |B8|^(12/8)
                        P(largest_column(B8) * sqrt(largest_column(B8)))),
                [](double x)
                {
                  x = std::pow(x, 1.0 / 12.0) / 0.783;
                  return x > 1e-9 ? (x < 1.0 ? -std::ilogb(x) - 1.0 : 0.0) : 30.0;
                });
  const P scale = each_lane(spared, [](double n) { return std::ldexp(1.0, int(n)); });
  P column[3] = {P(1.0), P(1.0), P(1.0)};
  NEML2_KEEP_LOOP
  for (int k = 0; k < 15; k++)
  {
    P next[3];
    NEML2_UNROLL
    for (int j = 0; j < 3; j++)
      next[j] = P((column[0] * abs(B(0, j)) + column[1] * abs(B(1, j)) + column[2] * abs(B(2, j))) *
                  scale);
    NEML2_UNROLL
    for (int j = 0; j < 3; j++)
      column[j] = next[j];
  }
  const P growth =
      P(maximum(maximum(column[0], column[1]), column[2]) / (largest_column(B) * scale));
  const P needed = each_lane(growth,
                             [](double x)
                             {
                               x *= 2.0; // (7!)² / (14! 15!) divided by the unit round-off
                               return x > 1.0 ? int(std::log(x) / 9.704) + 1.0 : 0.0; // 14 log 2
                             });
  return maximum(P(spared - needed), P(0.0));
}

/// e^A by scaling and squaring of the [7/7] Padé approximant. Source: Higham (2005), SIAM J. Matrix Anal. Appl. 26, 1179-1193. A is scaled
/// if its norm exceeds the limit for the derivative of e^A: Al-Mohy and Higham (2009), ibid. 30, 1639-1657, table 6.1.
template <class T>
NEML2_INLINE R2<T>
expm(const R2<T> & A)
{
  using P = typename innermost_number<T>::type;
  P squarings = each_lane(largest_column(A),
                          [](double x)
                          {
                            x /= 0.783;
                            return x > 1.0 && x < 1e300 ? std::ilogb(x) + 1.0 : 0.0;
                          });
  const auto power_of_two = [](double n) { return std::ldexp(1.0, int(n)); };
  R2<T> B = A * each_lane(P(-squarings), power_of_two), B2 = B * B, B4 = B2 * B2, B6 = B2 * B4;
  const auto is_large = squarings > 3.0;
  if (any(is_large))
  {
    const R2<P> b4 = plain_part(B4);
    const P spared =
        where(is_large,
              minimum(squarings, halved_too_often(plain_part(B), plain_part(B6), b4 * b4)),
              P(0.0));
    const P once = each_lane(spared, power_of_two), twice = once * once;
    squarings = squarings - spared;
    B = B * once;
    B2 = B2 * twice;
    B4 = B4 * twice * twice;
    B6 = B6 * twice * twice * twice;
  }
  const R2<T> odd = B * plus_identity(B6 + B4 * P(1512.0) + B2 * P(277200.0), 8648640.0);
  const R2<T> even = plus_identity(B6 * P(56.0) + B4 * P(25200.0) + B2 * P(1995840.0), 17297280.0);
  R2<T> X = inv(even - odd) * (even + odd);
  for (double k = 0; any(squarings > P(k)); k++)
    X = where(squarings > P(k), X * X, X);
  return X;
}

/// Whether the product of the ratios of the largest singular value to the other two may exceed the limit, or A is too large or too small
/// to tell.
template <class T>
NEML2_INLINE auto
is_ill_conditioned(const R2<T> & A, double limit)
{
  const T squares = norm_sq(A), d = det_by_cofactors(A), cube = T(squares * squares * squares),
          square = T(d * d);
  return !((cube <= limit * limit * square) & (square > 1e-280) & (cube < 1e280));
}

/// The product a b, as the sum of the rounded product and its error. Source: Dekker (1971), Numer. Math. 18, 224-242.
template <class T>
NEML2_INLINE std::pair<T, T>
exact_product(const T & a, const T & b)
{
  const auto upper_half = [](const T & x)
  {
    const T y = T((is_float32<T> ? 4097.0 : 134217729.0) * x);
    return T(y - (y - x));
  };
  const T p = T(a * b), c = upper_half(a), d = upper_half(b), e = T(a - c), f = T(b - d);
  return {p, T(((c * d - p) + c * f + e * d) + e * f)};
}

/// r = I - A x, a compensated sum: the errors of its products and sums are added to it. Source: Ogita, Rump and Oishi (2005), SIAM J. Sci.
/// Comput. 26, 1955-1988, algorithm 5.3.
template <class T>
NEML2_INLINE void
residual_of_inverse(const R2<T> & A, const T (&x)[3][3], T (&r)[3][3])
{
  NEML2_KEEP_LOOP
  for (int i = 0; i < 3; i++)
    NEML2_KEEP_LOOP
  for (int j = 0; j < 3; j++)
  {
    T sum(i == j ? 1.0 : 0.0), error(0.0);
    NEML2_KEEP_LOOP
    for (int k = 0; k < 3; k++)
    {
      const auto [p, e] = exact_product(T(-A(i, k)), x[k][j]);
      const T s = T(sum + p), b = T(s - sum);
      error = T(error + (((sum - (s - b)) + (p - b)) + e));
      sum = s;
    }
    r[i][j] = T(sum + error);
  }
}

/// The inverse by elimination, refined with residuals of twice as many digits. If the condition number is below 1 / unit round-off, the
/// error is the unit round-off, instead of the unit round-off times the condition number.
template <class T>
NEML2_INLINE R2<T>
refined_inv(const R2<T> & A)
{
  const auto lu = factored<3, T>(A);
  T x[3][3], d[3][3];
  NEML2_UNROLL
  for (int i = 0; i < 9; i++)
    d[i / 3][i % 3] = T(i % 4 == 0 ? 1.0 : 0.0);
  constexpr int refinements = 5;
  NEML2_KEEP_LOOP
  for (int k = 0; k <= refinements; k++)
  {
    lu.solve(d);
    NEML2_UNROLL
    for (int i = 0; i < 9; i++)
      x[i / 3][i % 3] = k == 0 ? d[i / 3][i % 3] : T(x[i / 3][i % 3] + d[i / 3][i % 3]);
    residual_of_inverse(A, x, d);
  }
  return {x[0][0], x[0][1], x[0][2], x[1][0], x[1][1], x[1][2], x[2][0], x[2][1], x[2][2]};
}

/// Sets i to A^-1 by cofactors. Returns in which lanes digits were lost: sqrtm uses another iteration there.
template <class T>
NEML2_INLINE auto
inv_by_cofactors(const R2<T> & A, R2<T> & i)
{
  if constexpr (partials < T >> 0)
  {
    auto x = values_of(A);
    const auto lost = inv_by_cofactors(values_of(A), x);
    set_values(i, x);
    NEML2_UNROLL
    for (int k = 0; k < partials<T>; k++)
      set_partials(i, k, -(x * partials_of(A, k) * x));
    return lost;
  }
  else
  {
    const R2<T> c = cofactors(A);
    const T d = T(A[0] * c[0] + A[1] * c[1] + A[2] * c[2]), squares = norm_sq(A);
    i = transpose(c) * T(1.0 / d);
    return !((squares * squares * squares <= 1e5 * d * d) & (squares > 1e-40) & (squares < 1e40));
  }
}

/// The inverse for iterations, which accumulate errors. Where the unit round-off times the condition number is too large, it is
/// refined_inv.
template <class T>
NEML2_INLINE R2<T>
inv_of_iterate(const R2<T> & A)
{
  if constexpr (partials < T >> 0)
  {
    const auto x = inv_of_iterate(values_of(A));
    R2<T> r{Unset()};
    set_values(r, x);
    NEML2_UNROLL
    for (int k = 0; k < partials<T>; k++)
      set_partials(r, k, -(x * partials_of(A, k) * x));
    return r;
  }
  else
  {
    const auto ill = is_ill_conditioned(A, 1e8);
    const R2<T> x = inv(A);
    return NEML2_RARELY(any(ill)) ? where(ill, refined_inv(A), x) : x;
  }
}

/// 2^-k, where k is half the exponent of the largest component: if A is multiplied twice by 2^-k, its components are of the order of 1.
/// The result is 1 where A is 0 or not finite.
template <class T>
NEML2_INLINE auto
root_of_scale(const R2<T> & A)
{
  return each_lane(largest_component(A),
                   [](double x)
                   {
                     const bool is_plain = x > 0.0 && x <= 1.7976931348623157e308;
                     return is_plain ? std::ldexp(1.0, -(std::ilogb(x) / 2)) : 1.0;
                   });
}

/// sqrtm of matrices that may become ill conditioned during the iteration, such as rotations by almost half a turn. The scaled
/// Denman-Beavers iteration never squares a condition number. Source: Higham (2008), Functions of Matrices, eq. 6.15, here with scaling by
/// norms.
template <class T>
NEML2_INLINE R2<T>
sqrtm_of_ill_conditioned(const R2<T> & A)
{
  using P = typename innermost_number<T>::type;
  const P h = root_of_scale(A);
  R2<T> X = A * h * h, Y;
  Y = plus_identity(Y, 1.0);
  P last(1.0);
  auto active = last > 0.0;
  constexpr int steps = 30;
  NEML2_KEEP_LOOP
  for (int k = 0; k < steps; k++)
  {
    const R2<T> x = inv_of_iterate(X), y = inv_of_iterate(Y);
    const P ratio = P(value_norm(x) * value_norm(y) / (value_norm(X) * value_norm(Y)));
    const P mu = where(last > 1e-2, sqrt(P(sqrt(ratio))), P(1.0)), over = P(1.0 / mu);
    const R2<T> next = (X * mu + y * over) * P(0.5);
    const P change = P(value_norm(next - X) / value_norm(next));
    Y = where(active, (Y * mu + x * over) * P(0.5), Y);
    X = where(active, next, X);
    active =
        active & (maximum(change, last) > 1e-9); // one step more than the value needs, for duals
    last = change;
    if (!any(active))
      break;
  }
  return only_where(last < 1e-7, X * P(1.0 / h));
}

/// The principal square root by the scaled product form of the Denman-Beavers iteration. It is faster than sqrtm_of_ill_conditioned, and
/// accurate where all its matrices are well conditioned; elsewhere sqrtm_of_ill_conditioned is called. The result is NaN where neither
/// iteration converges, such as for eigenvalues on or very close to the negative real axis, 0 included. Source: Higham (2008), Functions
/// of Matrices, eq. 6.29, here with scaling by norms.
template <class T>
NEML2_INLINE R2<T>
sqrtm(const R2<T> & A)
{
  using P = typename innermost_number<T>::type;
  R2<T> X = A, M = A;
  P error(1.0);
  auto active = error > 0.0, ill = error < 0.0;
  constexpr int steps = 12;
  NEML2_KEEP_LOOP
  for (int k = 0; k < steps; k++)
  {
    R2<T> i{Unset()};
    const auto lost = inv_by_cofactors(M, i);
    ill = ill | (active & lost);
    const P ratio = P(value_norm(i) / value_norm(M)), mu2 = sqrt(ratio), mu = sqrt(mu2);
    X = where(active, (X * mu + X * i * P(1.0 / mu)) * P(0.5), X);
    M = where(active, plus_identity((M * mu2 + i * P(1.0 / mu2)) * P(0.25), 0.5), M);
    const P last = error;
    error = value_norm(plus_identity(M, -1.0));
    active = active & (maximum(error, last) > 1e-9) &
             !ill; // one step more than the value needs, for duals
    if (!any(active))
      break;
  }
  ill = ill | !(error < 1e-7);
  return NEML2_RARELY(any(ill)) ? where(ill, sqrtm_of_ill_conditioned(A), X) : X;
}

/// The principal logarithm of A. Where the largest component of A is above 1e6 or below 1e-6, it is log(A / 2^k) + k log(2) I, and the
/// components of A / 2^k are of the order of 1. Square roots are taken until the tensor is close to I. Then the [7/7] Padé approximant is
/// computed in partial fractions, which have the nodes and weights of Gauss-Legendre quadrature. The result is NaN where a root is NaN.
/// Source: Higham (2008), Functions of Matrices, eqs. 11.17-11.19.
template <class T>
NEML2_INLINE R2<T>
logm(const R2<T> & A)
{
  using P = typename innermost_number<T>::type;
  const P largest = largest_component(A);
  const auto is_scaled = (largest > 1e6) | (largest < 1e-6);
  P h(1.0);
  if (NEML2_RARELY(any(is_scaled)))
    h = where(is_scaled, root_of_scale(A), h);
  R2<T> Y = A * h * h;
  P factor(1.0);
  constexpr int roots = 64;
  NEML2_KEEP_LOOP
  for (int k = 0; k < roots; k++)
  {
    const auto is_far = value_norm(plus_identity(Y, -1.0)) > 0.25;
    if (!any(is_far))
      break;
    Y = where(is_far, sqrtm(Y), Y);
    factor = where(is_far, P(2.0 * factor), factor);
  }
  constexpr double nodes[4] = {0.0, 0.4058451513773972, 0.7415311855993945, 0.9491079123427585},
                   weights[4] = {0.4179591836734694,
                                 0.3818300505051189,
                                 0.2797053914892767,
                                 0.1294849661688697};
  const R2<T> E = plus_identity(Y, -1.0);
  R2<T> sum;
  NEML2_KEEP_LOOP
  for (int k = -3; k <= 3; k++)
  {
    const int j = k < 0 ? -k : k;
    const double x = 0.5 + (k < 0 ? -0.5 : 0.5) * nodes[j];
    R2<T> i{Unset()};
    inv_by_cofactors(plus_identity(E * P(x), 1.0), i);
    sum = sum + i * P(0.5 * weights[j]);
  }
  const R2<T> L = only_where(value_norm(E) <= 0.25, E * sum * factor);
  if (!any(is_scaled))
    return L;
  const P scale = each_lane(h, [](double x) { return -2.0 * std::log(x); });
  R2<T> r = L;
  NEML2_UNROLL
  for (int i = 0; i < 3; i++)
    r(i, i) = L(i, i) + scale;
  return r;
}

/// A + ε E: the ε part of f(A + ε E) is the derivative of f along E.
template <class T>
NEML2_INLINE R2<Dual<T, 1>>
along(const R2<T> & A, const R2<T> & E)
{
  R2<Dual<T, 1>> r{Unset()};
  set_values(r, A);
  set_partials(r, 0, E);
  return r;
}
/// The derivatives along E.
template <class T>
NEML2_INLINE R2<T>
dexpm(const R2<T> & A, const R2<T> & E)
{
  return partials_of(expm(along(A, E)), 0);
}
template <class T>
NEML2_INLINE R2<T>
dlogm(const R2<T> & A, const R2<T> & E)
{
  return partials_of(logm(along(A, E)), 0);
}
template <class T>
NEML2_INLINE R2<T>
dsqrtm(const R2<T> & A, const R2<T> & E)
{
  return partials_of(sqrtm(along(A, E)), 0);
}

/// ∂f_ij / ∂A_kl of f(A), computed for three components of A at a time.
template <class F, class T>
NEML2_INLINE R4<T>
derivative_of(const F & f, const R2<T> & A)
{
  R4<T> r{Unset()};
  NEML2_KEEP_LOOP
  for (int k = 0; k < 3; k++)
  {
    R2<Dual<T, 3>> x{Unset()};
    set_values(x, A);
    for (int i = 0; i < 9; i++)
      for (int l = 0; l < 3; l++)
        x[i].d[l] = T(i == 3 * k + l ? 1.0 : 0.0);
    const R2<Dual<T, 3>> y = f(x);
    for (int i = 0; i < 9; i++)
      for (int l = 0; l < 3; l++)
        r[9 * i + 3 * k + l] = y[i].d[l];
  }
  return r;
}
template <class T>
NEML2_INLINE R4<T>
dexpm(const R2<T> & A)
{
  return derivative_of([](const auto & x) { return expm(x); }, A);
}
template <class T>
NEML2_INLINE R4<T>
dlogm(const R2<T> & A)
{
  return derivative_of([](const auto & x) { return logm(x); }, A);
}
template <class T>
NEML2_INLINE R4<T>
dsqrtm(const R2<T> & A)
{
  return derivative_of([](const auto & x) { return sqrtm(x); }, A);
}
} // namespace neml2::kernels
