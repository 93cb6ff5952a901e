// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Dual.h"
#include "neml2/kernels/R4.h"

#include <cmath>
#include <limits>

/**
 * Exponential, logarithm and root of any second order tensors: algorithms of products and inverses,
 * which duals pass through.
 *
 * Each lane takes the steps that it needs and keeps its result while others go on, so that a row is
 * the same whatever rows lie beside it.
 */
namespace neml2::kernels
{
/// √(A_ij A_ij) of the values.
template <class T>
NEML2_INLINE auto
value_norm(const R2<T> & A)
{
  auto s = value(A[0]) * value(A[0]);
  NEML2_UNROLL
  for (int i = 1; i < 9; i++)
    s = s + value(A[i]) * value(A[i]);
  return sqrt(s);
}

/// A where the condition holds, else NaN, derivatives included.
template <class C, class T>
NEML2_INLINE R2<T>
only_where(const C & c, const R2<T> & A)
{
  using P = typename plain_number<T>::type;
  return A * where(c, P(1.0), P(std::numeric_limits<double>::quiet_NaN()));
}

template <class T>
NEML2_INLINE R2<T>
plus_identity(const R2<T> & A, double x)
{
  R2<T> r = A;
  NEML2_UNROLL
  for (int i = 0; i < 3; i++)
    r(i, i) = A(i, i) + typename plain_number<T>::type(x);
  return r;
}

/// e^A by scaling and squaring of the [7/7] Padé approximant.
/// Source: Higham (2005), SIAM J. Matrix Anal. Appl. 26, 1179-1193; the norm up to which A is not scaled
/// is that for the derivative, Al-Mohy and Higham (2009), ibid. 30, 1639-1657, table 6.1.
template <class T>
NEML2_INLINE R2<T>
expm(const R2<T> & A)
{
  using P = typename plain_number<T>::type;
  P norm(0.0); // the largest sum of a column
  NEML2_UNROLL
  for (int j = 0; j < 3; j++)
    norm = maximum(norm, P(abs(value(A(0, j))) + abs(value(A(1, j))) + abs(value(A(2, j)))));
  const P squarings = each_lane(norm,
                                [](double x)
                                {
                                  x /= 0.783;
                                  return x > 1.0 && x < 1e300 ? std::ilogb(x) + 1.0 : 0.0;
                                });
  const P scale = each_lane(squarings, [](double n) { return std::ldexp(1.0, -int(n)); });
  const R2<T> B = A * scale, B2 = B * B, B4 = B2 * B2, B6 = B2 * B4;
  const R2<T> odd = B * plus_identity(B6 + B4 * P(1512.0) + B2 * P(277200.0), 8648640.0);
  const R2<T> even = plus_identity(B6 * P(56.0) + B4 * P(25200.0) + B2 * P(1995840.0), 17297280.0);
  R2<T> X = inv(even - odd) * (even + odd);
  for (double k = 0; any(squarings > P(k)); k++)
    X = where(squarings > P(k), X * X, X);
  return X;
}

/// The principal square root by the scaled product form of the Denman-Beavers iteration; NaN where it
/// does not converge, as for eigenvalues on the negative real axis, 0 included, or very close to it.
/// Source: Higham (2008), Functions of Matrices, eq. 6.29, here with scaling by norms.
template <class T>
NEML2_INLINE R2<T>
sqrtm(const R2<T> & A)
{
  using P = typename plain_number<T>::type;
  R2<T> X = A, M = A;
  P error(1.0);
  auto active = error > 0.0;
  constexpr int steps = 24;
  NEML2_KEEP_LOOP
  for (int k = 0; k < steps; k++)
  {
    const R2<T> i = inv(M);
    const P ratio = P(value_norm(i) / value_norm(M)), mu2 = sqrt(ratio), mu = sqrt(mu2);
    X = where(active, (X * mu + X * i * P(1.0 / mu)) * P(0.5), X);
    M = where(active, plus_identity((M * mu2 + i * P(1.0 / mu2)) * P(0.25), 0.5), M);
    const P last = error;
    error = value_norm(plus_identity(M, -1.0));
    active =
        active & (maximum(error, last) > 1e-9); // one step more than the value needs, for duals
    if (!any(active))
      break;
  }
  return only_where(error < 1e-7, X);
}

/// The principal logarithm: square roots until the tensor is close to I, then the [7/7] Padé
/// approximant in partial fractions, whose poles are those of Gauss-Legendre quadrature. NaN where a
/// root is. Source: Higham (2008), Functions of Matrices, eqs. 11.17-11.19.
template <class T>
NEML2_INLINE R2<T>
logm(const R2<T> & A)
{
  using P = typename plain_number<T>::type;
  R2<T> Y = A;
  P factor(1.0);
  constexpr int roots = 10;
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
    sum = sum + inv(plus_identity(E * P(x), 1.0)) * P(0.5 * weights[j]);
  }
  return only_where(value_norm(E) <= 0.25, E * sum * factor);
}

/// A + ε E, whose functions have their derivatives along E.
template <class T>
NEML2_INLINE R2<Dual<T, 1>>
along(const R2<T> & A, const R2<T> & E)
{
  R2<Dual<T, 1>> r{Unset()};
  set_values(r, A);
  set_partials(r, 0, E);
  return r;
}
/// Derivatives along E.
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

/// ∂f_ij / ∂A_kl of f = F()(A), three components of A at a time.
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
