// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Quaternion.h"

namespace neml2::kernels
{
/// The rotations of a crystal class, stored one after the other, as unit quaternions.
struct Symmetries
{
  const double * numbers;
  int count;
};

/// Of the unit quaternions S b, S in the class, the one whose rotation is closest to that of a; at a tie
/// the first one.
template <class T>
NEML2_INLINE Quaternion<T>
closest_equivalent(const Quaternion<T> & a, const Quaternion<T> & b, const Symmetries & symmetries)
{
  const Quaternion<T> d = a * conjugate(b); // a · (S b) = S · (a b*)
  T largest(-1.0);
  Quaternion<T> closest = d; // a class has at least one rotation, which no compiler sees
  NEML2_KEEP_LOOP
  for (int k = 0; k < symmetries.count; k++)
  {
    Quaternion<T> S{Unset()};
    for (int i = 0; i < 4; i++)
      S[i] = T(symmetries.numbers[4 * k + i]);
    const T cosine = inner(S, d), square = T(cosine * cosine);
    const auto is_closer = square > largest;
    largest = where(is_closer, square, largest);
    closest = k == 0 ? S : where(is_closer, S, closest);
  }
  return closest * b;
}

/// The smallest angle in [0, π] between r and S q, S in the class: for unit quaternions a and b,
/// 4 atan2(|a - b|, |a + b|) with b on the side of a.
template <class T>
NEML2_INLINE T
misorientation(const Rot<T> & r, const Rot<T> & q, const Symmetries & symmetries)
{
  using std::atan2;
  const Quaternion<T> a = to_quaternion(r);
  const Quaternion<T> S = closest_equivalent(a, to_quaternion(q), symmetries);
  const Quaternion<T> b = where(inner(a, S) < 0.0, -S, S);
  return T(4.0 * atan2(norm(a - b), norm(a + b)));
}

/// Of the orientations S r, S in the class, the one closest to the reference.
template <class T>
NEML2_INLINE Rot<T>
move_to_fundamental_zone(const Rot<T> & r, const Symmetries & symmetries, const Rot<T> & reference)
{
  return to_rot(closest_equivalent(to_quaternion(reference), to_quaternion(r), symmetries));
}
} // namespace neml2::kernels
