// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/numbers.h"
#include "neml2/kernels/Rot.h"

namespace neml2::kernels
{
/// One quaternion (s, x, y, z), scalar first.
template <class T>
struct Quaternion : Components<T, 4>
{
  using Components<T, 4>::Components;
};

/// Hamilton's product (s, u) (t, w) = (s t - u · w, s w + t u + u × w)
template <class A, class B>
NEML2_INLINE constexpr Quaternion<product_t<A, B>>
operator*(const Quaternion<A> & q, const Quaternion<B> & p)
{
  return {q[0] * p[0] - q[1] * p[1] - q[2] * p[2] - q[3] * p[3],
          q[0] * p[1] + q[1] * p[0] + q[2] * p[3] - q[3] * p[2],
          q[0] * p[2] + q[2] * p[0] + q[3] * p[1] - q[1] * p[3],
          q[0] * p[3] + q[3] * p[0] + q[1] * p[2] - q[2] * p[1]};
}

/// (s, -u)
template <class T>
NEML2_INLINE constexpr Quaternion<T>
conjugate(const Quaternion<T> & q)
{
  return {q[0], -q[1], -q[2], -q[3]};
}

/// (s, -u) / (s² + u · u)
template <class T>
NEML2_INLINE constexpr Quaternion<T>
inv(const Quaternion<T> & q)
{
  const T i = T(1.0 / norm_sq(q));
  return {q[0] * i, -q[1] * i, -q[2] * i, -q[3] * i};
}

/// The rotation matrix δ_ij + 2 s W_ij + 2 W_ik W_kj of a unit quaternion (s, u), where W = skew(u).
template <class T>
NEML2_INLINE constexpr R2<T>
rotation_matrix(const Quaternion<T> & q)
{
  const T x = 2.0 * q[1], y = 2.0 * q[2], z = 2.0 * q[3];
  const T xx = x * q[1], yy = y * q[2], zz = z * q[3], yz = y * q[3], xz = x * q[3], xy = x * q[2];
  const T sx = x * q[0], sy = y * q[0], sz = z * q[0];
  return {1.0 - (yy + zz),
          xy - sz,
          xz + sy,
          xy + sz,
          1.0 - (xx + zz),
          yz - sx,
          xz - sy,
          yz + sx,
          1.0 - (xx + yy)};
}

/// R_ij v_j = v + 2 s (u × v) + 2 u × (u × v), where R is the rotation matrix of the unit quaternion (s, u).
template <class A, class B>
NEML2_INLINE constexpr Vec<product_t<A, B>>
rotate(const Vec<A> & v, const Quaternion<B> & q)
{
  const Vec<B> u{q[1], q[2], q[3]};
  const auto t = cross(u, v) * 2.0;
  return v + t * q[0] + cross(u, t);
}

/// The unit quaternion of modified Rodrigues parameters, (1 - r · r, 2 r) / (1 + r · r)
template <class T>
NEML2_INLINE constexpr Quaternion<T>
to_quaternion(const Rot<T> & r)
{
  const T s = norm_sq(r), i = T(1.0 / (1.0 + s)), d = T(2.0 * i);
  return {(1.0 - s) * i, d * r[0], d * r[1], d * r[2]};
}

/// The unit quaternion (s, u) of a rotation matrix, with s ≥ 0.
template <class T>
NEML2_INLINE Quaternion<T>
to_quaternion(const R2<T> & M)
{
  const Components<T, 4> q = unit_quaternion(M);
  return {q[0], q[1], q[2], q[3]};
}

/// The modified Rodrigues parameters u / (|q| + s) of q or -q, whichever has s ≥ 0: the angle is at most π. q may have any length
/// except 0.
template <class T>
NEML2_INLINE Rot<T>
to_rot(const Quaternion<T> & q)
{
  const T sign = side_of(q[0]);
  const T i = T(sign / (sqrt(norm_sq(q)) + sign * q[0]));
  return {q[1] * i, q[2] * i, q[3] * i};
}

// Power series in x, which is the square of an angle, a tangent or a sine, up to the power Terms. They are smooth even at x = 0.
// T may also be a batch.

/// sin(√x) / √x
template <int Terms, class T>
NEML2_INLINE constexpr T
sinc_series(const T & x)
{
  T s = 1.0 - x * (1.0 / (2 * Terms * (2 * Terms + 1)));
  NEML2_UNROLL
  for (int n = Terms - 1; n > 0; n--)
    s = 1.0 - x * s * (1.0 / (2 * n * (2 * n + 1)));
  return s;
}

/// cos √x
template <int Terms, class T>
NEML2_INLINE constexpr T
cos_series(const T & x)
{
  T s = 1.0 - x * (1.0 / (2 * Terms * (2 * Terms - 1)));
  NEML2_UNROLL
  for (int n = Terms - 1; n > 0; n--)
    s = 1.0 - x * s * (1.0 / (2 * n * (2 * n - 1)));
  return s;
}

/// atan(√x) / √x
template <int Terms, class T>
NEML2_INLINE constexpr T
atan_series(const T & x)
{
  T s = 1.0 / (2 * Terms - 1) - x * (1.0 / (2 * Terms + 1));
  NEML2_UNROLL
  for (int n = Terms - 2; n >= 0; n--)
    s = 1.0 / (2 * n + 1) - x * s;
  return s;
}

/// asin²(√x) / x. Source: Gradshteyn and Ryzhik (2007), Table of Integrals, Series, and Products, 1.645.2.
template <int Terms, class T>
NEML2_INLINE constexpr T
squared_asin_series(const T & x)
{
  const auto ratio = [](int n) { return double(2 * n * n) / ((n + 1) * (2 * n + 1)); };
  T s = 1.0 + x * ratio(Terms);
  NEML2_UNROLL
  for (int n = Terms - 1; n > 0; n--)
    s = 1.0 + x * s * ratio(n);
  return s;
}

/// Ω² for x = sin²(Ω/2) ≤ 1/2, from the series in sin²(Ω/8) ≤ 0.04.
template <class T>
NEML2_INLINE T
squared_angle(const T & x)
{
  const T y = T(x / (2.0 + 2.0 * sqrt(T(1.0 - x)))), z = T(y / (2.0 + 2.0 * sqrt(T(1.0 - y))));
  return 64.0 * z * squared_asin_series<10>(z);
}

/// sin(√x) / √x for √x ≤ 9π/2, by sin 3a = 3 sin a - 4 sin³ a, applied twice. For larger √x the result is wrong.
template <class T>
NEML2_INLINE T
sinc_of_square(const T & x)
{
  const T y = T(x * (1.0 / 81)), s = sinc_series<10>(y);
  const T z = T(s - (4.0 / 3) * y * s * s * s);
  return z - 12.0 * y * z * z * z;
}

/// The unit quaternion (cos θ/2, n sin θ/2) of the rotation vector w = n θ.
template <class T>
NEML2_INLINE Quaternion<T>
exp_quaternion(const Vec<T> & w)
{
  using std::cos;
  using std::sin;
  const T x = T(0.25 * norm_sq(w));
  const auto near = x < 1e-3;
  const T half = sqrt(T(where(near, T(1.0), x)));
  const T k = T(0.5 * where(near, sinc_series<5>(x), T(sin(half) / half)));
  return {where(near, cos_series<5>(x), T(cos(half))), k * w[0], k * w[1], k * w[2]};
}

/// The rotation vector n θ of q, 0 ≤ θ ≤ π. q may have any length except 0.
template <class T>
NEML2_INLINE Vec<T>
log_map(const Quaternion<T> & q)
{
  using std::atan2;
  const T sign = side_of(q[0]), s = T(sign * q[0]);
  const T squared = T(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const auto near = squared < 1e-4 * s * s;
  const T divisor = where(near, s, T(1.0)),
          x = where(near, T(squared / (divisor * divisor)), T(0.0));
  const T length = sqrt(T(where(near, T(1.0), squared)));
  const T k = where(near, T(atan_series<6>(x) / divisor), T(atan2(length, s) / length));
  const T f = T(2.0 * sign * k);
  return {f * q[1], f * q[2], f * q[3]};
}

/// (cos θ/2, n sin(θ/2) / |n|), NaN where n is 0.
template <class A, class B>
NEML2_INLINE Quaternion<product_t<A, B>>
axis_angle_quaternion(const Vec<A> & n, const B & theta)
{
  using std::cos;
  using std::sin;
  using T = product_t<A, B>;
  const B half = B(0.5 * theta);
  const Vec<A> m = over_largest(n);
  const T s = T(sin(half) / norm(m));
  return {T(cos(half) * T(1.0)), m[0] * s, m[1] * s, m[2] * s};
}

/// The axis of q, with the sign for which the angle is in [0, π]; NaN where the angle is 0.
template <class T>
NEML2_INLINE Vec<T>
axis(const Quaternion<T> & q)
{
  const Vec<T> u(q[1], q[2], q[3]);
  return u * T(side_of(q[0]) / sqrt(norm_sq(u)));
}

/// The angle of q in [0, π], 2 atan2(|u|, |s|).
template <class T>
NEML2_INLINE T
angle(const Quaternion<T> & q)
{
  using std::atan2;
  const T length = norm_of_square(T(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]));
  return T(2.0 * atan2(length, T(side_of(q[0]) * q[0])));
}

/// 2 acos(min(|p · q|, 1)): the angle in [0, π] of the rotation from p to q where both are of unit length.
/// Where the angle is 0, its derivative is 0.
///
/// Computed as 4 atan2(√(1 - c), √(1 + c)) with c = |p · q|. For the sign of q with p · q ≥ 0, the number 1 ∓ c equals
/// (|p ∓ q|² + 2 - |p|² - |q|²) / 2. If |p|² and |q|² are 1 up to the tolerance, 2 - |p|² - |q|² is round-off that would
/// hide a small angle: only the derivative of this term is kept. The default tolerance is for float64; on
/// float32 rows, call dist with unit(p) and unit(q).
template <class A, class B, class E = double>
NEML2_INLINE auto
dist(const Quaternion<A> & p, const Quaternion<B> & q, const E & tolerance = 0x1p-48)
{
  using std::atan2;
  using T = product_t<A, B>;
  const Quaternion<B> b = where(inner(p, q) < 0.0, -q, q);
  const A u = A(1.0 - norm_sq(p));
  const B v = B(1.0 - norm_sq(q));
  const auto are_units = (abs(innermost(u)) <= tolerance) & (abs(innermost(v)) <= tolerance);
  const T c = inner(p, b), slope = T((u - without_derivatives(u)) + (v - without_derivatives(v)));
  const T below = where(are_units, T(0.5 * (norm_sq(p - b) + slope)), T(1.0 - c));
  const T above = where(are_units, T(0.5 * (norm_sq(p + b) + slope)), T(1.0 + c));
  return T(4.0 * atan2(T(norm_of_square(T(maximum(below, T(0.0))))), T(sqrt(above))));
}

/// A point on the shorter arc of unit quaternions from q (t = 0) to p or -p (t = 1). As t grows, the point moves along the arc at
/// constant angular speed. The result is NaN unless -8 ≤ t ≤ 9.
///
/// With Ω the angle between the ends and x = sin²(Ω/2), the weights are sin((1 - t) Ω) / sin Ω and sin(t Ω) / sin Ω. The
/// weights are functions of Ω², smooth even at 0, and computed by arithmetic alone. Source: Shoemake (1985), Computer
/// Graphics 19(3), 245-254.
template <class A, class B, class C>
NEML2_INLINE auto
slerp(const Quaternion<A> & q, const Quaternion<B> & p, const C & t)
{
  using D = product_t<A, B>;
  using T = product_t<D, C>;
  const Quaternion<B> end = where(inner(q, p) < 0.0, -p, p);
  const D near = norm_sq(q - end), far = norm_sq(q + end);
  const D square = squared_angle(D(near / (near + far)));
  const D i = D(1.0 / sinc_of_square(square));
  const C u = where(abs(C(t - 0.5)) <= 8.5, C(1.0 - t), C(std::nan("")));
  const T a = T(u * sinc_of_square(T(u * u * square)) * i);
  const T b = T(t * sinc_of_square(T(t * t * square)) * i);
  return Quaternion<T>(q * a + end * b);
}
} // namespace neml2::kernels
