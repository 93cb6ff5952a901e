// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Dual.h"
#include "neml2/kernels/Vec.h"
#include "neml2/kernels/matmul.h"

namespace neml2::kernels
{
/// One second order tensor, A_ij at 3i + j.
template <class T>
struct R2 : Components<T, 9>
{
  using Components<T, 9>::Components;
  NEML2_INLINE constexpr T & operator()(int i, int j)
  {
    return this->v[component_place<3, 3>(i, j)];
  }
  NEML2_INLINE constexpr const T & operator()(int i, int j) const
  {
    return this->v[component_place<3, 3>(i, j)];
  }
};

/// All components, row by row.
template <class T>
NEML2_INLINE constexpr R2<T>
fill_R2(const T & a00,
        const T & a01,
        const T & a02,
        const T & a10,
        const T & a11,
        const T & a12,
        const T & a20,
        const T & a21,
        const T & a22)
{
  return {a00, a01, a02, a10, a11, a12, a20, a21, a22};
}
/// A symmetric tensor.
template <class T>
NEML2_INLINE constexpr R2<T>
fill_R2(const T & a00, const T & a11, const T & a22, const T & a12, const T & a02, const T & a01)
{
  return {a00, a01, a02, a01, a11, a12, a02, a12, a22};
}
/// A diagonal tensor.
template <class T>
NEML2_INLINE constexpr R2<T>
fill_R2(const T & a00, const T & a11, const T & a22)
{
  const T o = T(0.0);
  return {a00, o, o, o, a11, o, o, o, a22};
}
/// a δ_ij
template <class T>
NEML2_INLINE constexpr R2<T>
fill_R2(const T & a)
{
  return fill_R2(a, a, a);
}

/// Row i (A_ij for all j), and column j (A_ij for all i).
template <class T>
NEML2_INLINE constexpr Vec<T>
row(const R2<T> & a, int i)
{
  const int k = component_index(i, 3);
  return {a(k, 0), a(k, 1), a(k, 2)};
}
template <class T>
NEML2_INLINE constexpr Vec<T>
col(const R2<T> & a, int j)
{
  const int k = component_index(j, 3);
  return {a(0, k), a(1, k), a(2, k)};
}

/// A_ik B_kj
template <class A, class B>
NEML2_INLINE constexpr R2<product_t<A, B>>
operator*(const R2<A> & a, const R2<B> & b)
{
  return matmul<3, 3, 3, R2<product_t<A, B>>>(a, b);
}

/// A_ik b_k
template <class A, class B>
NEML2_INLINE constexpr Vec<product_t<A, B>>
operator*(const R2<A> & a, const Vec<B> & b)
{
  return matmul<3, 3, 1, Vec<product_t<A, B>>>(a, b);
}

/// A_ji
template <class T>
NEML2_INLINE constexpr R2<T>
transpose(const R2<T> & a)
{
  return {a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8]};
}

/// A_kk
template <class T>
NEML2_INLINE constexpr T
tr(const R2<T> & a)
{
  return a[0] + a[4] + a[8];
}

/// A_kk δ_ij / 3
template <class T>
NEML2_INLINE constexpr R2<T>
vol(const R2<T> & a)
{
  const T m = T(tr(a) * (1.0 / 3.0)), o = T(0.0);
  return {m, o, o, o, m, o, o, o, m};
}

/// A_ij - A_kk δ_ij / 3
template <class T>
NEML2_INLINE constexpr R2<T>
dev(const R2<T> & a)
{
  return a - vol(a);
}

/// a_i b_j
template <class A, class B>
NEML2_INLINE constexpr R2<product_t<A, B>>
outer(const Vec<A> & a, const Vec<B> & b)
{
  return matmul<3, 1, 3, R2<product_t<A, B>>>(a, b);
}

/// W_ij = -ε_ijk v_k, so that W a = v × a
template <class T>
NEML2_INLINE constexpr R2<T>
skew(const Vec<T> & v)
{
  R2<T> r;
  r(0, 1) = -v[2];
  r(0, 2) = v[1];
  r(1, 0) = v[2];
  r(1, 2) = -v[0];
  r(2, 0) = -v[1];
  r(2, 1) = v[0];
  return r;
}

/// R_ij v_j
template <class A, class B>
NEML2_INLINE constexpr Vec<product_t<A, B>>
rotate(const Vec<A> & v, const R2<B> & R)
{
  return R * v;
}

/// R_ik A_kl R_jl
template <class A, class B>
NEML2_INLINE constexpr R2<product_t<A, B>>
rotate(const R2<A> & a, const R2<B> & R)
{
  return R * a * transpose(R);
}

/// The cofactors, which are cross products of the rows: det(A) A_ji^-1, but also defined where A is
/// singular.
template <class T>
NEML2_INLINE constexpr R2<T>
cofactors(const R2<T> & a)
{
  return {a[4] * a[8] - a[5] * a[7],
          a[5] * a[6] - a[3] * a[8],
          a[3] * a[7] - a[4] * a[6],
          a[2] * a[7] - a[1] * a[8],
          a[0] * a[8] - a[2] * a[6],
          a[1] * a[6] - a[0] * a[7],
          a[1] * a[5] - a[2] * a[4],
          a[2] * a[3] - a[0] * a[5],
          a[0] * a[4] - a[1] * a[3]};
}

/// Whether numbers of type T can be compared. The library's own types can; a number type that the program defines may have only arithmetic.
template <class T>
constexpr bool has_order = std::is_arithmetic_v<T> || std::is_base_of_v<Component<T>, T>;

/// The determinant by cofactors of the first row.
template <class T>
NEML2_INLINE constexpr T
det_by_cofactors(const R2<T> & a)
{
  return a[0] * (a[4] * a[8] - a[5] * a[7]) + a[1] * (a[5] * a[6] - a[3] * a[8]) +
         a[2] * (a[3] * a[7] - a[4] * a[6]);
}

/// Whether a determinant d, computed by cofactors, has lost digits, or one of its products may have overflowed or underflowed. The test is
/// whether d is small compared with its bound, which follows from the sum of the squares of the components.
template <class T>
NEML2_INLINE constexpr auto
loses_digits(const T & squares, const T & d)
{
  constexpr double small = is_float32<T> ? 1e-36 : 1e-200, large = is_float32<T> ? 1e11 : 1e66;
  const T square = T(d * d);
  return !((squares * squares * squares <= 1e6 * square) & (square > small) & (squares < large));
}

/// The rows of a matrix divided by their scales, and whether the scales are finite. The scale of a row is its largest component, or 1 for a
/// row of zeros.
template <class T>
struct ScaledRows
{
  R2<T> rows{Unset()};
  Vec<T> scales{Unset()};

  NEML2_INLINE constexpr explicit ScaledRows(const R2<T> & a)
  {
    NEML2_UNROLL
    for (int i = 0; i < 3; i++)
    {
      const T largest = maximum(maximum(abs(a[3 * i]), abs(a[3 * i + 1])), abs(a[3 * i + 2]));
      scales[i] = where(largest > 0.0, largest, T(1.0));
      NEML2_UNROLL
      for (int j = 0; j < 3; j++)
        rows[3 * i + j] = T(a[3 * i + j] / scales[i]);
    }
  }
  NEML2_INLINE constexpr auto are_finite() const
  {
    constexpr double largest = is_float32<T> ? 3.4028234e38 : 1.7976931348623157e308;
    return (scales[0] <= largest) & (scales[1] <= largest) & (scales[2] <= largest);
  }
};

/// a · b × c for the rows a, b, c of A. The part of c along b is subtracted first: it cancels in b × c and would cost digits there. The
/// relative error of the result is the unit round-off times the condition number of A, whatever the round-off of the subtracted part.
template <class T>
NEML2_INLINE constexpr T
det_by_projection(const R2<T> & A)
{
  const Vec<T> a(A[0], A[1], A[2]), b(A[3], A[4], A[5]), c(A[6], A[7], A[8]);
  const T square = norm_sq(b);
  const T along = T(inner(b, c) / where(square > 0.0, square, T(1.0)));
  return inner(a, cross(b, Vec<T>(c - b * along)));
}
/// The determinant of a matrix whose rows were scaled. The rows may have any magnitude, even if products of their numbers would overflow
/// or underflow.
template <class T>
NEML2_INLINE constexpr T
det_of(const ScaledRows<T> & a)
{
  const Vec<T> & s = a.scales;
  const T d = det_by_projection(a.rows), lower = minimum(s[0], s[1]), upper = maximum(s[0], s[1]);
  const T middle = maximum(lower, minimum(upper, s[2]));
  return T(minimum(lower, s[2]) * maximum(upper, s[2]) * d * middle);
}
/// The inverse of A from the inverse of the scaled rows.
template <class T>
NEML2_INLINE constexpr R2<T>
inv_of(const ScaledRows<T> & a)
{
  const R2<T> c = cofactors(a.rows);
  const T i = T(1.0 / det_by_projection(a.rows));
  R2<T> r{Unset()};
  NEML2_UNROLL
  for (int j = 0; j < 3; j++)
  {
    const T over = T(1.0 / a.scales[j]);
    NEML2_UNROLL
    for (int k = 0; k < 3; k++)
      r[3 * k + j] = T(c[3 * j + k] * i * over);
  }
  return r;
}

/// The determinant by cofactors of the first row, or by projection where these cofactors lose digits. Its derivatives are the cofactors.
template <class T>
NEML2_INLINE constexpr T
det(const R2<T> & a)
{
  if constexpr (partials < T >> 0)
  {
    const auto x = values_of(a), c = cofactors(x);
    T r(det(x));
    NEML2_UNROLL
    for (int i = 0; i < 9; i++)
      NEML2_UNROLL
    for (int k = 0; k < partials<T>; k++)
      r.d[k] = r.d[k] + c[i] * a[i].d[k];
    return r;
  }
  else
  {
    T d = det_by_cofactors(a);
    if constexpr (has_order<T>)
    {
      const auto lost = loses_digits(norm_sq(a), d);
      if (NEML2_RARELY(any(lost)))
      {
        const ScaledRows<T> x(a);
        d = where(lost & x.are_finite(), det_of(x), d);
      }
    }
    return d;
  }
}

/// The inverse: the transposed cofactors over the determinant, which is computed as in det. The error of a cofactor, relative to the
/// largest one, is the unit round-off times the condition number; the relative error of the determinant is the same. The derivative along
/// B is -A^-1 B A^-1.
template <class T>
NEML2_INLINE constexpr R2<T>
inv(const R2<T> & a)
{
  if constexpr (partials < T >> 0)
  {
    const auto x = inv(values_of(a));
    R2<T> r{Unset()};
    set_values(r, x);
    NEML2_UNROLL
    for (int k = 0; k < partials<T>; k++)
      set_partials(r, k, -(x * partials_of(a, k) * x));
    return r;
  }
  else
  {
    const R2<T> c = cofactors(a);
    const T d = T(a[0] * c[0] + a[1] * c[1] + a[2] * c[2]), i = T(1.0 / d);
    R2<T> r(
        c[0] * i, c[3] * i, c[6] * i, c[1] * i, c[4] * i, c[7] * i, c[2] * i, c[5] * i, c[8] * i);
    if constexpr (has_order<T>)
    {
      const auto lost = loses_digits(norm_sq(a), d);
      if (NEML2_RARELY(any(lost)))
      {
        const ScaledRows<T> x(a);
        const auto wrong = lost & x.are_finite();
        const R2<T> y = inv_of(x);
        NEML2_UNROLL
        for (int k = 0; k < 9; k++)
          r[k] = where(wrong, y[k], r[k]);
      }
    }
    return r;
  }
}
} // namespace neml2::kernels
