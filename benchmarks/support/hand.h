// SPDX-License-Identifier: MIT
#pragma once

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <utility>

/// Hand-written code for single operations: a loop over rows, raw pointers, no library. Mandel
/// components as in neml2::SR2. The compiler vectorises what it can.
namespace hand
{
constexpr double sqrt2 = 1.4142135623730951, invsqrt2 = 0.7071067811865475;

/// Calls f(row of each input, row of the result) for all N rows; In and Out are the numbers of
/// components in a row.
template <int Out, int... In>
struct Loop
{
  template <class T = double, class F, class... Tensors>
  static at::Tensor run(at::IntArrayRef shape, const F & f, const Tensors &... in)
  {
    at::Tensor result = at::empty(shape, c10::CppTypeToScalarType<T>::value);
    T * const out = result.data_ptr<T>();
    const std::tuple<decltype((void)in, static_cast<const T *>(nullptr))...> p(
        in.template data_ptr<T>()...);
    rows(result.numel() / Out,
         [&](int64_t begin, int64_t end)
         { std::apply([&](const auto *... a) { loop(begin, end, f, out, a...); }, p); });
    return result;
  }

  template <class F>
  static void rows(int64_t N, const F & f)
  {
    constexpr int64_t grain = 2048;
    if (N <= grain)
      f(0, N);
    else
      at::parallel_for(0, N, grain, f);
  }

private:
  template <class T, class F, class... P>
  static void loop(int64_t begin, int64_t end, const F & f, T * __restrict out, const P *... in)
  {
    for (int64_t n = begin; n < end; n++)
      f((in + In * n)..., out + Out * n);
  }
};

template <class T>
T
inner(const T * a, const T * b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

template <class T>
void
dev(const T * s, T * r)
{
  const T mean = (s[0] + s[1] + s[2]) * T(1.0 / 3.0);
  for (int i = 0; i < 3; i++)
    r[i] = s[i] - mean;
  for (int i = 3; i < 6; i++)
    r[i] = s[i];
}

template <class T>
void
multiply(const T * C, const T * e, T * r) // 6×6 by 6
{
  for (int i = 0; i < 6; i++)
    r[i] = inner(C + 6 * i, e);
}

/// Product of two n×n matrices.
template <int n>
void
multiply_square(const double * a, const double * b, double * r)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
    {
      double sum = a[n * i] * b[j];
      for (int k = 1; k < n; k++)
        sum += a[n * i + k] * b[n * k + j];
      r[n * i + j] = sum;
    }
}

inline double
von_mises(const double * s)
{
  double d[6];
  dev(s, d);
  return std::sqrt(1.5 * inner(d, d));
}

inline double
det(const double * a)
{
  return a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) +
         a[2] * (a[3] * a[7] - a[4] * a[6]);
}

inline double
det_symmetric(const double * s)
{
  return s[0] * (s[1] * s[2] - 0.5 * s[3] * s[3]) - 0.5 * s[1] * s[4] * s[4] -
         0.5 * s[2] * s[5] * s[5] + invsqrt2 * s[3] * s[4] * s[5];
}

inline void
inverse(const double * a, double * r)
{
  const double c0 = a[4] * a[8] - a[5] * a[7], c1 = a[5] * a[6] - a[3] * a[8],
               c2 = a[3] * a[7] - a[4] * a[6];
  const double i = 1.0 / (a[0] * c0 + a[1] * c1 + a[2] * c2);
  r[0] = c0 * i;
  r[1] = (a[2] * a[7] - a[1] * a[8]) * i;
  r[2] = (a[1] * a[5] - a[2] * a[4]) * i;
  r[3] = c1 * i;
  r[4] = (a[0] * a[8] - a[2] * a[6]) * i;
  r[5] = (a[2] * a[3] - a[0] * a[5]) * i;
  r[6] = c2 * i;
  r[7] = (a[1] * a[6] - a[0] * a[7]) * i;
  r[8] = (a[0] * a[4] - a[1] * a[3]) * i;
}

inline void
inverse_symmetric(const double * s, double * r)
{
  const double f = s[3] * invsqrt2, c = s[4] * invsqrt2, b = s[5] * invsqrt2;
  const double c00 = s[1] * s[2] - f * f, c01 = c * f - b * s[2], c02 = b * f - c * s[1];
  const double i = 1.0 / (s[0] * c00 + b * c01 + c * c02);
  r[0] = c00 * i;
  r[1] = (s[0] * s[2] - c * c) * i;
  r[2] = (s[0] * s[1] - b * b) * i;
  r[3] = (c * b - s[0] * f) * i * sqrt2;
  r[4] = c02 * i * sqrt2;
  r[5] = c01 * i * sqrt2;
}

/// Gauss and Jordan's elimination with row pivots.
inline void
inverse_6x6(const double * C, double * r)
{
  constexpr int n = 6;
  double a[n][2 * n] = {};
  for (int i = 0; i < n; i++)
  {
    for (int j = 0; j < n; j++)
      a[i][j] = C[n * i + j];
    a[i][n + i] = 1;
  }
  for (int k = 0; k < n; k++)
  {
    int pivot = k;
    for (int i = k + 1; i < n; i++)
      if (std::abs(a[i][k]) > std::abs(a[pivot][k]))
        pivot = i;
    if (pivot != k)
      std::swap(a[k], a[pivot]);
    const double scale = 1.0 / a[k][k];
    for (int j = 0; j < 2 * n; j++)
      a[k][j] *= scale;
    for (int i = 0; i < n; i++)
      if (i != k)
      {
        const double factor = a[i][k];
        for (int j = 0; j < 2 * n; j++)
          a[i][j] -= factor * a[k][j];
      }
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      r[n * i + j] = a[i][n + j];
}

inline void
sym(const double * a, double * r)
{
  r[0] = a[0];
  r[1] = a[4];
  r[2] = a[8];
  r[3] = (a[5] + a[7]) * invsqrt2;
  r[4] = (a[2] + a[6]) * invsqrt2;
  r[5] = (a[1] + a[3]) * invsqrt2;
}

inline void
full(const double * s, double * r)
{
  r[0] = s[0];
  r[4] = s[1];
  r[8] = s[2];
  r[5] = r[7] = s[3] * invsqrt2;
  r[2] = r[6] = s[4] * invsqrt2;
  r[1] = r[3] = s[5] * invsqrt2;
}

inline void
isotropic_E_nu(const double * E, const double * nu, double * r)
{
  const double w = 1.0 - 2.0 * *nu, p = *E / ((1.0 + *nu) * w), c1 = (1.0 - *nu) * p, c2 = *nu * p;
  for (int i = 0; i < 36; i++)
    r[i] = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      r[6 * i + j] = i == j ? c1 : c2;
  for (int i = 3; i < 6; i++)
    r[7 * i] = w * p;
}

/// The matrix of modified Rodrigues parameters.
inline void
rotation_matrix(const double * r, double * R)
{
  const double x = r[0] * r[0], y = r[1] * r[1], z = r[2] * r[2], s = x + y + z;
  const double q = 1.0 / (1.0 + s), u = 4.0 * (1.0 - s) * q * q, t = 8.0 * q * q;
  const double xy = t * r[0] * r[1], xz = t * r[0] * r[2], yz = t * r[1] * r[2];
  R[0] = 1.0 - t * (y + z);
  R[1] = xy - u * r[2];
  R[2] = xz + u * r[1];
  R[3] = xy + u * r[2];
  R[4] = 1.0 - t * (x + z);
  R[5] = yz - u * r[0];
  R[6] = xz - u * r[1];
  R[7] = yz + u * r[0];
  R[8] = 1.0 - t * (x + y);
}

/// Mandel components of R s R^T.
inline void
rotate_by_matrix(const double * s, const double * R, double * r)
{
  double a[9], b[9];
  full(s, a);
  multiply_square<3>(R, a, b);
  const auto entry = [&](int i, int j)
  { return b[3 * i] * R[3 * j] + b[3 * i + 1] * R[3 * j + 1] + b[3 * i + 2] * R[3 * j + 2]; };
  r[0] = entry(0, 0);
  r[1] = entry(1, 1);
  r[2] = entry(2, 2);
  r[3] = sqrt2 * entry(1, 2);
  r[4] = sqrt2 * entry(0, 2);
  r[5] = sqrt2 * entry(0, 1);
}

inline void
rotate(const double * s, const double * rotation, double * r)
{
  double R[9];
  rotation_matrix(rotation, R);
  rotate_by_matrix(s, R, r);
}

/// Q C Q^T with the 6×6 rotation Q of Mandel components.
inline void
rotate_6x6(const double * C, const double * rotation, double * r)
{
  constexpr int I[6] = {0, 1, 2, 1, 0, 0}, J[6] = {0, 1, 2, 2, 2, 1};
  double R[9], Q[36], t[36];
  rotation_matrix(rotation, R);
  for (int a = 0; a < 6; a++)
    for (int b = 0; b < 6; b++)
    {
      const double *u = R + 3 * I[a], *v = R + 3 * J[a];
      if (b < 3)
        Q[6 * a + b] = u[b] * v[b] * (a < 3 ? 1 : sqrt2);
      else
        Q[6 * a + b] = (u[I[b]] * v[J[b]] + u[J[b]] * v[I[b]]) * (a < 3 ? invsqrt2 : 1);
    }
  multiply_square<6>(Q, C, t);
  for (int a = 0; a < 6; a++)
    for (int b = 0; b < 6; b++)
      r[6 * a + b] = inner(t + 6 * a, Q + 6 * b);
}

/// The derivative of rotated matrices by the rotation: F_ilk a_lm R_jm + R_il a_lm F_jmk, where the
/// spin of a rate of the parameters, in a column of J, gives F_ijk = ε_ilm J_lk R_mj.
inline void
drotate_matrix(const double * a, const double * r, double * d)
{
  double R[9], J[9], t[9], b[9];
  rotation_matrix(r, R);
  const double s = r[0] * r[0] + r[1] * r[1] + r[2] * r[2], q = 1.0 / (1.0 + s), w = 8.0 * q * q;
  for (int i = 0; i < 3; i++)
  {
    const int l = (i + 1) % 3, m = (i + 2) % 3;
    J[4 * i] = w * (0.5 * (1.0 - s) + r[i] * r[i]);
    J[3 * i + l] = w * (r[i] * r[l] - r[m]);
    J[3 * i + m] = w * (r[i] * r[m] + r[l]);
  }
  multiply_square<3>(R, a, t);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      b[3 * i + j] =
          t[3 * i] * R[3 * j] + t[3 * i + 1] * R[3 * j + 1] + t[3 * i + 2] * R[3 * j + 2];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++)
      {
        const int l = (i + 1) % 3, m = (i + 2) % 3, p = (j + 1) % 3, o = (j + 2) % 3;
        d[9 * i + 3 * j + k] = J[3 * l + k] * b[3 * m + j] - J[3 * m + k] * b[3 * l + j] +
                               J[3 * p + k] * b[3 * i + o] - J[3 * o + k] * b[3 * i + p];
      }
}

inline void
drotate_symmetric(const double * s, const double * r, double * d)
{
  double a[9], x[27];
  full(s, a);
  drotate_matrix(a, r, x);
  for (int k = 0; k < 3; k++)
  {
    d[k] = x[k];
    d[3 + k] = x[12 + k];
    d[6 + k] = x[24 + k];
    d[9 + k] = sqrt2 * x[15 + k];
    d[12 + k] = sqrt2 * x[6 + k];
    d[15 + k] = sqrt2 * x[3 + k];
  }
}

inline void
drotate_vector(const double * v, const double * r, double * d)
{
  const double s = r[0] * r[0] + r[1] * r[1] + r[2] * r[2], q = 1.0 / (1.0 + s);
  const double a = 4.0 * (1.0 - s) * q * q, b = 8.0 * q * q, da = 8.0 * (s - 3.0) * q * q * q,
               db = -32.0 * q * q * q, x = r[0] * v[0] + r[1] * v[1] + r[2] * v[2];
  for (int i = 0; i < 3; i++)
  {
    const int l = (i + 1) % 3, m = (i + 2) % 3;
    const double u = r[l] * v[m] - r[m] * v[l];
    const double w = da * u + db * (x * r[i] - s * v[i]) - 2.0 * b * v[i];
    d[4 * i] = w * r[i] + b * (r[i] * v[i] + x);
    d[3 * i + l] = w * r[l] + b * r[i] * v[l] + a * v[m];
    d[3 * i + m] = w * r[m] + b * r[i] * v[m] - a * v[l];
  }
}

/// The rotation by b, then by a.
inline void
compose(const double * a, const double * b, double * r)
{
  const double s = a[0] * a[0] + a[1] * a[1] + a[2] * a[2],
               t = b[0] * b[0] + b[1] * b[1] + b[2] * b[2],
               d = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const double i = 1.0 / (1.0 + s * t - 2.0 * d), p = (1.0 - t) * i, q = (1.0 - s) * i, m = 2.0 * i;
  r[0] = p * a[0] + q * b[0] + m * (a[1] * b[2] - a[2] * b[1]);
  r[1] = p * a[1] + q * b[1] + m * (a[2] * b[0] - a[0] * b[2]);
  r[2] = p * a[2] + q * b[2] + m * (a[0] * b[1] - a[1] * b[0]);
}
} // namespace hand
