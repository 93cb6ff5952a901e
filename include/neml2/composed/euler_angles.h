// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/Rot.h"
#include "neml2/composed/where.h"
#include "neml2/kernels/euler_angles.h"

/// Rotations by Euler angles, computed by LibTorch calls; Kocks' angles are in radians.
namespace neml2::composed
{
using kernels::EulerConvention;

/// Kocks' angles from the angles of a convention. (..., 3) -> (..., 3)
inline at::Tensor
to_kocks(const at::Tensor & angles, EulerConvention convention)
{
  if (convention == EulerConvention::kocks)
    return angles;
  const at::Tensor a = angles.select(-1, 0), b = angles.select(-1, 1), c = angles.select(-1, 2);
  return convention == EulerConvention::bunge ? at::stack({a - pi / 2, b, pi / 2 - c}, -1)
                                              : at::stack({a, b, pi - c}, -1);
}

/// The inverse of to_kocks. (..., 3) -> (..., 3)
inline at::Tensor
from_kocks(const at::Tensor & kocks, EulerConvention convention)
{
  if (convention == EulerConvention::kocks)
    return kocks;
  const at::Tensor a = kocks.select(-1, 0), b = kocks.select(-1, 1), c = kocks.select(-1, 2);
  return convention == EulerConvention::bunge
             ? at::stack({(a + pi / 2).fmod(2 * pi), b, (pi / 2 - c).fmod(2 * pi)}, -1)
             : at::stack({a, b, pi - c}, -1);
}

/// The rotation by Kocks' angles, from the unit quaternion (real part first)
/// (cos b/2 sin μ, sin b/2 cos δ, sin b/2 sin δ, cos b/2 cos μ) with μ = (a - c) / 2 and δ = (a + c) / 2. (..., 3) -> (..., 3)
inline at::Tensor
rotation_of_kocks(const at::Tensor & kocks)
{
  const at::Tensor half = kocks / 2;
  const at::Tensor a = half.select(-1, 0), b = half.select(-1, 1), c = half.select(-1, 2);
  const at::Tensor cosine = b.cos(), sine = b.sin(), mu = a - c, delta = a + c;
  return rotation_of_quaternion(at::stack(
      {cosine * mu.sin(), sine * delta.cos(), sine * delta.sin(), cosine * mu.cos()}, -1));
}

/// The multiple of the period that must be subtracted from x to bring x + shift into [0, period), except for rounding.
inline at::Tensor
whole_periods(const at::Tensor & x, double shift, double period)
{
  const double tolerance = rounding(x.scalar_type());
  return ((x + (shift + tolerance)) / period).floor() * period;
}

/// √(u² + v²), whose derivatives are 0 where it is 0. (...), (...) -> (...)
inline at::Tensor
length_of_pair(const at::Tensor & u, const at::Tensor & v)
{
  return length_or_zero(at::stack({u, v}, -1)).squeeze(-1);
}

/// The inverse of rotation_of_kocks. (..., 3) -> (..., 3)
inline at::Tensor
kocks_of_rotation(const at::Tensor & r)
{
  const double tolerance = rounding(r.scalar_type());
  const at::Tensor q = quaternion_of_rotation(r);
  const at::Tensor real = q.select(-1, 0), x = q.select(-1, 1), y = q.select(-1, 2),
                   z = q.select(-1, 3);
  const at::Tensor sine = length_of_pair(x, y), cosine = length_of_pair(real, z),
                   b = 2 * sine.atan2(cosine);
  const at::Tensor at_0 = sine < tolerance, at_pi = cosine < tolerance;
  const at::Tensor mu = select(at_pi, 0, real).atan2(select(at_pi, 1, z)),
                   delta = select(at_0, 0, y).atan2(select(at_0, 1, x));
  const auto wrapped = [](const at::Tensor & t) { return t - whole_periods(t, pi / 2, 2 * pi); };
  const at::Tensor c_0 = -mu - whole_periods(-mu, 0, pi),
                   a_pi = 2 * delta + whole_periods(-2 * delta, pi, 2 * pi);
  const at::Tensor a = select(at_0, -c_0, select(at_pi, a_pi, wrapped(mu + delta))),
                   c = select(at_0, c_0, select(at_pi, 0, wrapped(delta - mu)));
  return at::stack({a, b, c}, -1);
}

/// The rotation by angles of any convention, in units of `unit` radians. (..., 3) -> (..., 3)
inline at::Tensor
rotation_of_euler_angles(const at::Tensor & angles, EulerConvention convention, double unit)
{
  return rotation_of_kocks(to_kocks(angles * unit, convention));
}

/// The inverse of rotation_of_euler_angles. (..., 3) -> (..., 3)
inline at::Tensor
euler_angles_of_rotation(const at::Tensor & r, EulerConvention convention, double unit)
{
  return from_kocks(kocks_of_rotation(r), convention) / unit;
}

/// See kernels::rotation_of_sequence. (..., 3) -> (..., 3)
inline at::Tensor
rotation_of_sequence(const at::Tensor & angles, const kernels::EulerSequence & s)
{
  const auto about = [&](int n)
  {
    const at::Tensor half = angles.slice(-1, s.place(n), s.place(n) + 1) / 2;
    const int i = s.turning(n);
    return at::cat({half.cos(), at::constant_pad_nd(half.sin(), {i, 2 - i})}, -1);
  };
  return rotation_of_quaternion(
      quaternion_product(quaternion_product(about(0), about(1)), about(2)));
}

/// See kernels::sequence_of_rotation. (..., 3) -> (..., 3)
inline at::Tensor
sequence_of_rotation(const at::Tensor & r, const kernels::EulerSequence & s)
{
  const double tolerance = rounding(r.scalar_type());
  const int i = s.turning(0), j = s.turning(1), k = s.third();
  const double even = s.sign();
  const bool same = s.is_proper();
  const at::Tensor q = quaternion_of_rotation(r);
  const auto of = [&](int n) { return q.select(-1, n); };
  const at::Tensor real = same ? of(0) : of(0) - of(1 + j),
                   x = same ? of(1 + i) : of(1 + i) - even * of(1 + k),
                   y = same ? of(1 + j) : of(1 + j) + of(0),
                   z = same ? of(1 + k) : of(1 + k) + even * of(1 + i);
  const at::Tensor sine = length_of_pair(y, z), cosine = length_of_pair(real, x);
  const at::Tensor at_0 = sine < tolerance, at_pi = cosine < tolerance,
                   is_free = at_0.bitwise_or(at_pi);
  const at::Tensor sum = select(at_pi, 0, x).atan2(select(at_pi, 1, real)),
                   difference = even * select(at_0, 0, z).atan2(select(at_0, 1, y));
  const at::Tensor only = select(at_0, 2 * sum, (s.turns ? 2 : -2) * difference);
  const auto wrapped = [](const at::Tensor & t) { return t - whole_periods(t, pi, 2 * pi); };
  const at::Tensor zero = at::zeros_like(only), first_only = s.turns ? only : zero,
                   last_only = s.turns ? zero : only;
  const at::Tensor a = select(is_free, first_only, sum + difference),
                   c = select(is_free, last_only, sum - difference);
  const at::Tensor middle = 2 * sine.atan2(cosine);
  const at::Tensor first = wrapped(a), third = wrapped(same ? c : -even * c),
                   second = same ? middle : middle - pi / 2;
  return at::stack(s.turns ? std::vector<at::Tensor>{first, second, third}
                           : std::vector<at::Tensor>{third, second, first},
                   -1);
}
} // namespace neml2::composed
