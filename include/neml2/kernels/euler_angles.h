// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/axis_angle.h"

/// Rotations by Euler angles, in radians. Kocks' angles are called (a, b, c).
namespace neml2::kernels
{
/// The conventions. The comments give the angles that each of them has for the rotation of Kocks' angles (a, b, c).
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

/// The rotation of the unit quaternion (cos b/2 sin μ, sin b/2 cos δ, sin b/2 sin δ, cos b/2 cos μ), real part
/// first, with μ = (a - c) / 2 and δ = (a + c) / 2.
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

/// The multiple of the period that must be subtracted from x to bring x + shift into [0, period), up to
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

/// The axes of three successive rotations: axes that turn with the body, or fixed axes.
struct EulerSequence
{
  int axis[3];
  bool turns; ///< whether the axes turn with the body

  /// Rotations about fixed axes equal rotations about turning axes in the reverse order. For rotation n about turning axes, place(n) is
  /// the place of its angle, and turning(n) is its axis.
  NEML2_INLINE constexpr int place(int n) const { return turns ? n : 2 - n; }
  NEML2_INLINE constexpr int turning(int n) const { return axis[place(n)]; }
  /// Whether the first and the last axis are the same.
  NEML2_INLINE constexpr bool is_proper() const { return axis[0] == axis[2]; }
  /// The axis that differs from turning(0) and turning(1), and the sign of the permutation of the three axes.
  NEML2_INLINE constexpr int third() const { return 3 - turning(0) - turning(1); }
  NEML2_INLINE constexpr double sign() const
  {
    return (turning(1) - turning(0) + 3) % 3 == 1 ? 1.0 : -1.0;
  }
};

/// The rotation by angles about the axes of a sequence.
template <class T>
NEML2_INLINE Rot<T>
rotation_of_sequence(const Vec<T> & angles, const EulerSequence & s)
{
  using std::cos;
  using std::sin;
  const auto about = [&](int n)
  {
    const T half = T(0.5 * angles[s.place(n)]), sine = T(sin(half)), zero(0.0);
    const int i = s.turning(n);
    return Quaternion<T>(
        T(cos(half)), i == 0 ? sine : zero, i == 1 ? sine : zero, i == 2 ? sine : zero);
  };
  return to_rot(about(0) * about(1) * about(2));
}

/**
 * The inverse of rotation_of_sequence. The middle angle is in [0, π] if the first and the last axis are the same, otherwise in [-π/2, π/2];
 * the first and the last angle are in [-π, π). Where the middle angle is at an end of its range, up to the tolerance, only the sum or the
 * difference of the first and the last angle is determined: the last angle is then 0.
 *
 * Source: Bernardes and Viollet (2022), PLoS ONE 17, e0276302.
 */
template <class T>
NEML2_INLINE Vec<T>
sequence_of_rotation(const Rot<T> & r, const EulerSequence & s, double tolerance)
{
  using std::atan2;
  const int i = s.turning(0), j = s.turning(1), k = s.third();
  const double even = s.sign();
  const bool same = s.is_proper();
  const Quaternion<T> q = to_quaternion(r);
  // If all three axes differ, q times a quarter turn about j is, up to a factor, a rotation about i, j and i.
  const T real = same ? q[0] : T(q[0] - q[1 + j]),
          x = same ? q[1 + i] : T(q[1 + i] - even * q[1 + k]),
          y = same ? q[1 + j] : T(q[1 + j] + q[0]),
          z = same ? q[1 + k] : T(q[1 + k] + even * q[1 + i]);
  const T sine = norm_of_square(T(y * y + z * z)), cosine = norm_of_square(T(real * real + x * x));
  const auto at_0 = sine < tolerance, at_pi = cosine < tolerance;
  const T zero(0.0), one(1.0);
  // Half the sum and half the difference of the two angles about i, which are the first and the last.
  const T sum = T(atan2(where(at_pi, zero, x), where(at_pi, one, real))),
          difference = T(even * atan2(where(at_0, zero, z), where(at_0, one, y)));
  // Where only the sum (at_0) or the difference (at_pi) is determined, the last angle is 0; for fixed axes, `a` is the last angle.
  const T only = T(where(at_0, T(2.0 * sum), T((s.turns ? 2.0 : -2.0) * difference)));
  const auto is_free = at_0 | at_pi;
  const auto wrapped = [&](const T & t) { return T(t - whole_periods(t, pi, 2 * pi, tolerance)); };
  const T a = where(is_free, s.turns ? only : zero, T(sum + difference)),
          c = where(is_free, s.turns ? zero : only, T(sum - difference));
  const T middle = T(2.0 * atan2(sine, cosine));
  const T first = wrapped(a), third = wrapped(same ? c : T(-even * c)),
          second = same ? middle : T(middle - pi / 2);
  return s.turns ? Vec<T>(first, second, third) : Vec<T>(third, second, first);
}
} // namespace neml2::kernels
