// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Quaternion.h"

#include <utility>

/// Rotations by axis and angle, and between two directions.
namespace neml2::kernels
{
/// The integer closest to x (the even integer at a tie), without derivative.
template <class T>
NEML2_INLINE auto
nearest_integer(const T & x)
{
  using P = typename innermost_number<T>::type;
  constexpr double shift = 6755399441055744.0; // 3 · 2^51: adding it rounds a number
  const P v = without_derivatives(x);
  return where(abs(v) < 2251799813685248.0, P((v + shift) - shift), v);
}

/// n tan(θ/4) / |n|, NaN where n is 0.
template <class A, class B>
NEML2_INLINE Rot<product_t<A, B>>
axis_angle(const Vec<A> & n, const B & theta)
{
  using std::tan;
  using T = product_t<A, B>;
  const Vec<A> m = over_largest(n);
  const T s = T(tan(B(0.25 * theta)) / norm(m));
  return {m[0] * s, m[1] * s, m[2] * s};
}

/// The rotation about n by θ, where θ is reduced to [-π, π].
template <class A, class B>
NEML2_INLINE Rot<product_t<A, B>>
axis_angle_standard(const Vec<A> & n, const B & theta)
{
  constexpr double turn = 2 * pi;
  return axis_angle(n, B(theta - turn * nearest_integer(B(theta / turn))));
}

/// The rotation that turns a into the direction of b, about an axis orthogonal to both, by an angle of at
/// most π. Where a and b are opposite up to the tolerance, an axis orthogonal to a is chosen.
///
/// Let u and v be the directions of a and b, and h = u + v, whose length is 2 cos(θ/2). Then u × h = n sin θ and
/// |h|² / 2 = 1 + cos θ keep their digits.
template <class A, class B>
NEML2_INLINE Rot<product_t<A, B>>
rotation_from_to(const Vec<A> & a, const Vec<B> & b, double tolerance)
{
  using T = product_t<A, B>;
  const Vec<A> u = unit(a);
  const Vec<T> h = u + unit(b);
  const T square = norm_sq(h);
  const auto opposite = square < tolerance * tolerance;
  const A zero = A(0.0 * u[0]);
  const Vec<A> orthogonal =
      where(u[0] * u[0] > u[2] * u[2], Vec<A>(-u[1], u[0], zero), Vec<A>(zero, -u[2], u[1]));
  const Vec<T> sine = where(opposite, orthogonal * T(1.0), cross(u, h));
  const T cosine = where(opposite, T(0.0), T(0.5 * square)); // 1 + cos θ
  const T i = T(1.0 / (cosine + sqrt(T(cosine * cosine + norm_sq(sine)))));
  return {sine[0] * i, sine[1] * i, sine[2] * i};
}

/// The direction and the length of r; where r is 0, they are (0, 0, 1) and 0, both with derivative 0. r is first
/// divided by its largest component, so that no square overflows or underflows.
template <class T>
NEML2_INLINE std::pair<Vec<T>, T>
direction_and_length(const Rot<T> & r)
{
  using P = typename plain_number<T>::type;
  const P largest = maximum(maximum(abs(P(value(r[0]))), abs(P(value(r[1])))), abs(P(value(r[2]))));
  const auto is_zero = largest <= 0.0;
  const P scale = where(is_zero, P(1.0), largest);
  const Vec<T> u = where(
      is_zero, Vec<T>(T(0.0), T(0.0), T(1.0)), Vec<T>(r[0] / scale, r[1] / scale, r[2] / scale));
  const T length = sqrt(norm_sq(u));
  return {u / length, where(is_zero, T(0.0), T(scale * length))};
}

/// The axis of r.
template <class T>
NEML2_INLINE Vec<T>
axis(const Rot<T> & r)
{
  return direction_and_length(r).first;
}

/// The angle of r, 4 atan |r|.
template <class T>
NEML2_INLINE T
angle(const Rot<T> & r)
{
  using std::atan;
  return T(4.0 * atan(direction_and_length(r).second));
}
} // namespace neml2::kernels
