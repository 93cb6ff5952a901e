// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/Quaternion.h"

#include <utility>

namespace neml2::kernels
{
/// The rotations of a crystal class, stored one after the other, as unit quaternions.
struct Symmetries
{
  const double * numbers;
  int count;
};

/// The unit quaternion S b, with S in the class, whose rotation is closest to the rotation of a; at a tie the first such S b.
template <class T>
NEML2_INLINE Quaternion<T>
closest_equivalent(const Quaternion<T> & a, const Quaternion<T> & b, const Symmetries & symmetries)
{
  const Quaternion<T> d = a * conjugate(b); // a · (S b) = S · (a b*)
  T largest(-1.0);
  Quaternion<T> closest = d; // avoids a warning: compilers cannot know that symmetries.count > 0
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

/// The smallest angle in [0, π] between r and S q, with S in the class. It is 4 atan2(|a - b|, |a + b|), where the unit quaternions a of r
/// and b of S q have signs with a · b ≥ 0.
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

/// The pair of unit quaternions P a and S b whose rotations are closest, with P in the class of a and S in the class of b. S b has the
/// sign for which P a · S b is not negative. At a tie the result is the first pair in the order of P, then of S.
template <class T>
NEML2_INLINE std::pair<Quaternion<T>, Quaternion<T>>
closest_pair(const Quaternion<T> & a,
             const Quaternion<T> & b,
             const Symmetries & of_a,
             const Symmetries & of_b)
{
  T largest(-1.0);
  Quaternion<T> first = a, second = b;
  NEML2_KEEP_LOOP
  for (int k = 0; k < of_a.count; k++)
  {
    Quaternion<T> P{Unset()};
    for (int i = 0; i < 4; i++)
      P[i] = T(of_a.numbers[4 * k + i]);
    const Quaternion<T> x = P * a, y = closest_equivalent(x, b, of_b);
    const T cosine = inner(x, y), square = T(cosine * cosine);
    const auto is_closer = square > largest;
    largest = where(is_closer, square, largest);
    first = where(is_closer, x, first);
    second = where(is_closer, y, second);
  }
  return {first, where(inner(first, second) < 0.0, -second, second)};
}

/// The smallest angle in [0, π] between P r and S q, with P in the class of r and S in the class of q.
template <class T>
NEML2_INLINE T
misorientation(const Rot<T> & r, const Rot<T> & q, const Symmetries & of_r, const Symmetries & of_q)
{
  using std::atan2;
  const auto [a, b] = closest_pair(to_quaternion(r), to_quaternion(q), of_r, of_q);
  return T(4.0 * atan2(norm(a - b), norm(a + b)));
}

/// The rotation S q (P r)⁻¹ of smallest angle, with P in the class of r and S in the class of q.
template <class T>
NEML2_INLINE Rot<T>
disorientation(const Rot<T> & r, const Rot<T> & q, const Symmetries & of_r, const Symmetries & of_q)
{
  const auto [a, b] = closest_pair(to_quaternion(r), to_quaternion(q), of_r, of_q);
  return to_rot(b * conjugate(a));
}

/// The orientation S r, with S in the class, that is closest to the reference.
template <class T>
NEML2_INLINE Rot<T>
move_to_fundamental_zone(const Rot<T> & r, const Symmetries & symmetries, const Rot<T> & reference)
{
  return to_rot(closest_equivalent(to_quaternion(reference), to_quaternion(r), symmetries));
}
} // namespace neml2::kernels
