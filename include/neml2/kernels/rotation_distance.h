// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Rot.h"

#include <cmath>

/// The shadow parameters of a rotation, and angles between rotations.
namespace neml2::kernels
{
/// The shadow parameters: the second set of parameters of the same rotation, -r_i / (r_k r_k).
template <class T>
NEML2_INLINE constexpr Rot<T>
shadow(const Rot<T> & r)
{
  return r * T(-1.0 / norm_sq(r));
}

/// (2 r_i r_j / s - δ_ij) / s with s = r_k r_k
template <class T>
NEML2_INLINE constexpr R2<T>
dshadow(const Rot<T> & r)
{
  const T i = T(1.0 / norm_sq(r)), d = T(2.0 * i * i);
  const T a = d * r[0], b = d * r[1], c = d * r[2], xy = a * r[1], xz = a * r[2], yz = b * r[2];
  return {a * r[0] - i, xy, xz, xy, b * r[1] - i, yz, xz, yz, c * r[2] - i};
}

/// The squares of the sine (first) and the cosine (second) of a quarter of the angle of a * inv(b), both multiplied by
/// (1 + a · a) (1 + b · b): they are |a - b|² and (1 + a · b)² + |a × b|².
template <class A, class B>
NEML2_INLINE constexpr Components<product_t<A, B>, 2>
quarter_angle(const Rot<A> & a, const Rot<B> & b)
{
  using T = product_t<A, B>;
  const T c = T(1.0 + inner(a, b)), x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2],
          z = a[0] * b[1] - a[1] * b[0];
  return {norm_sq(a - b), c * c + x * x + y * y + z * z};
}

/// Angle in [0, 2π] from b to a: 4 asin(|a - b| / √((1 + a · a) (1 + b · b))). It is computed by the arc tangent,
/// which is accurate at both ends. At the ends, where the function has kinks, the derivative is 0.
template <class A, class B>
NEML2_INLINE product_t<A, B>
gdist(const Rot<A> & a, const Rot<B> & b)
{
  using std::atan2;
  using T = product_t<A, B>;
  const auto q = quarter_angle(a, b);
  return 4.0 * atan2(T(norm_of_square(q[0])), T(norm_of_square(q[1])));
}

/// Angle in [0, π] between the rotations a and b, each given by either of its two sets of parameters. Where the
/// angle is 0, its derivative is 0.
template <class A, class B>
NEML2_INLINE product_t<A, B>
dist(const Rot<A> & a, const Rot<B> & b)
{
  using std::atan2;
  using T = product_t<A, B>;
  const auto q = quarter_angle(a, b);
  const auto less = q[0] < q[1];
  const T least = where(less, q[0], q[1]), most = where(less, q[1], q[0]);
  return 4.0 * atan2(T(norm_of_square(least)), T(sqrt(most)));
}
} // namespace neml2::kernels
