// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/axis_angle.h"

/// Rotations by Euler angles, in radians. The angles of Kocks are (a, b, c).
namespace neml2::kernels
{
enum class EulerConvention
{
  kocks,
  bunge, ///< (a + π/2, b, π/2 - c)
  roe    ///< (a, b, π - c)
};

template <class T>
NEML2_INLINE Vec<T>
to_kocks(const Vec<T> & x, EulerConvention convention)
{
  if (convention == EulerConvention::bunge)
    return {x[0] - pi / 2, x[1], pi / 2 - x[2]};
  if (convention == EulerConvention::roe)
    return {x[0], x[1], pi - x[2]};
  return x;
}

template <class T>
NEML2_INLINE Vec<T>
from_kocks(const Vec<T> & x, EulerConvention convention)
{
  using std::fmod;
  if (convention == EulerConvention::bunge)
    return {fmod(T(x[0] + pi / 2), T(2 * pi)), x[1], fmod(T(pi / 2 - x[2]), T(2 * pi))};
  if (convention == EulerConvention::roe)
    return {x[0], x[1], pi - x[2]};
  return x;
}

/// From the unit quaternion, real part first, (cos b/2 sin μ, sin b/2 cos δ, sin b/2 sin δ, cos b/2 cos
/// μ), μ = (a - c) / 2, δ = (a + c) / 2.
template <class T>
NEML2_INLINE Rot<T>
rotation_of_kocks(const Vec<T> & kocks)
{
  using std::cos;
  using std::sin;
  const T a = T(0.5 * kocks[0]), b = T(0.5 * kocks[1]), c = T(0.5 * kocks[2]);
  const T cosine = T(cos(b)), sine = T(sin(b)), mu = T(a - c), delta = T(a + c);
  return to_rot(Quaternion<T>(
      T(cosine * sin(mu)), T(sine * cos(delta)), T(sine * sin(delta)), T(cosine * cos(mu))));
}

/// The multiple of the period whose subtraction from x brings x + shift into [0, period), up to
/// round-off.
template <class T>
NEML2_INLINE T
whole_periods(const T & x, double shift, double period, double tolerance)
{
  const T y = T((x + (shift + tolerance)) / period), n = T(nearest_integer(y));
  return T(where(n > y, T(n - 1.0), n) * period);
}

/// The inverse of rotation_of_kocks: b in [0, π], a and c in [-π/2, 3π/2). Where b is 0 up to the tolerance, the rotation depends only on
/// the difference a - c: c is in [0, π), and a is -c. Where b is π up to the tolerance, it depends only on the sum a + c: c is 0, and a is
/// in (-π, π].
template <class T>
NEML2_INLINE Vec<T>
kocks_of_rotation(const Rot<T> & r, double tolerance)
{
  using std::atan2;
  const Quaternion<T> q = to_quaternion(r);
  const T sine = norm_of_square(T(q[1] * q[1] + q[2] * q[2])),
          cosine = norm_of_square(T(q[0] * q[0] + q[3] * q[3]));
  const auto at_0 = sine < tolerance, at_pi = cosine < tolerance;
  const T zero(0.0), one(1.0);
  const T mu = T(atan2(where(at_pi, zero, q[0]), where(at_pi, one, q[3]))),
          delta = T(atan2(where(at_0, zero, q[2]), where(at_0, one, q[1])));
  const auto wrapped = [&](const T & t)
  { return T(t - whole_periods(t, pi / 2, 2 * pi, tolerance)); };
  const T c_0 = T(-mu - whole_periods(T(-mu), 0, pi, tolerance)),
          a_pi = T(2.0 * delta + whole_periods(T(-2.0 * delta), pi, 2 * pi, tolerance));
  const T a = where(at_0, T(-c_0), where(at_pi, a_pi, wrapped(T(mu + delta)))),
          c = where(at_0, c_0, where(at_pi, zero, wrapped(T(delta - mu))));
  return {a, T(2.0 * atan2(sine, cosine)), c};
}
} // namespace neml2::kernels
