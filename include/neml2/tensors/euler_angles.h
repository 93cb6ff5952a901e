// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/Rot.h"
#include "neml2/kernels/euler_angles.h"
#include "neml2/math/elementwise.h"
#include "neml2/tensors/Rot.h"

/// Rotations by Euler angles: bodies of what Rot.h declares, and a change of convention.
namespace neml2
{
/// Euler angles of another convention from those of Kocks, both in radians. (...; 3) -> (...; 3)
/// "kocks": (a, b, c); "bunge": (a + π/2, b, π/2 - c), the first and the last modulo 2π with the sign
/// they have; "roe": (a, b, π - c).
/// @throws NEMLException also for any other convention.
Vec convert_euler_angles_from_kocks(const Vec & kocks, const std::string & convention);

namespace tensors
{
using kernels::EulerConvention;

inline EulerConvention
euler_convention(const char * where, const std::string & name)
{
  if (name == "kocks")
    return EulerConvention::kocks;
  if (name == "bunge")
    return EulerConvention::bunge;
  if (name == "roe")
    return EulerConvention::roe;
  fail(where,
       ": unknown convention of Euler angles '",
       name,
       "'. Expected \"kocks\", \"bunge\" or \"roe\".");
}

/// How many radians the unit of an angle is.
inline double
angle_unit(const char * where, const std::string & name)
{
  if (name == "radians")
    return 1;
  if (name == "degrees")
    return pi / 180;
  fail(where, ": unknown type of angles '", name, "'. Expected \"degrees\" or \"radians\".");
}

/// Angles of Kocks. (..., 3) -> (..., 3)
inline at::Tensor
to_kocks(const at::Tensor & angles, EulerConvention convention)
{
  if (convention == EulerConvention::kocks)
    return angles;
  const at::Tensor a = angles.select(-1, 0), b = angles.select(-1, 1), c = angles.select(-1, 2);
  return convention == EulerConvention::bunge ? at::stack({a - pi / 2, b, pi / 2 - c}, -1)
                                              : at::stack({a, b, pi - c}, -1);
}

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

/// By the unit quaternion, real part first, (cos b/2 sin μ, sin b/2 cos δ, sin b/2 sin δ, cos b/2 cos μ),
/// μ = (a - c) / 2, δ = (a + c) / 2. (..., 3) -> (..., 3)
inline at::Tensor
rotation_of_kocks(const at::Tensor & kocks)
{
  const at::Tensor half = kocks / 2;
  const at::Tensor a = half.select(-1, 0), b = half.select(-1, 1), c = half.select(-1, 2);
  const at::Tensor cosine = b.cos(), sine = b.sin(), mu = a - c, delta = a + c;
  return composed::rotation_of_quaternion(at::stack(
      {cosine * mu.sin(), sine * delta.cos(), sine * delta.sin(), cosine * mu.cos()}, -1));
}

/// The whole turns, or other periods, that leave x + shift in [0, period) but for rounding.
inline at::Tensor
whole_periods(const at::Tensor & x, double shift, double period)
{
  const double tolerance = composed::rounding(x.scalar_type());
  return ((x + (shift + tolerance)) / period).floor() * period;
}

/// The inverse of rotation_of_kocks. (..., 3) -> (..., 3)
inline at::Tensor
kocks_of_rotation(const at::Tensor & r)
{
  const double tolerance = composed::rounding(r.scalar_type());
  const at::Tensor q = composed::quaternion_of_rotation(r);
  const at::Tensor real = q.select(-1, 0), x = q.select(-1, 1), y = q.select(-1, 2),
                   z = q.select(-1, 3);
  const auto length = [](const at::Tensor & u, const at::Tensor & v) {
    return composed::length_or_zero(at::stack({u, v}, -1)).squeeze(-1);
  };
  const at::Tensor sine = length(x, y), cosine = length(real, z), b = 2 * sine.atan2(cosine);
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
} // namespace tensors

inline Rot
Rot::fill_euler_angles(const Vec & angles, const std::string & convention, const std::string & type)
{
  const core::Operation op("Rot::fill_euler_angles");
  const auto from = tensors::euler_convention(op.name, convention);
  const double unit = tensors::angle_unit(op.name, type);
  return engine::evaluate_leaf<Rot>(
      op,
      [=](const auto & x) { return kernels::rotation_of_kocks(kernels::to_kocks(x * unit, from)); },
      [=](const Vec & x)
      { return Rot(tensors::rotation_of_kocks(tensors::to_kocks(core::raw(x) * unit, from))); },
      angles);
}

inline Vec
Rot::to_euler_angles(const std::string & convention, const std::string & type) const
{
  const core::Operation op("Rot::to_euler_angles");
  const auto to = tensors::euler_convention(op.name, convention);
  const double unit = tensors::angle_unit(op.name, type);
  const double tolerance = composed::rounding(defined() ? scalar_type() : kFloat64);
  return engine::evaluate_leaf<Vec>(
      op,
      [=](const auto & r)
      { return kernels::from_kocks(kernels::kocks_of_rotation(r, tolerance), to) / unit; },
      [=](const Rot & r)
      { return Vec(tensors::from_kocks(tensors::kocks_of_rotation(r), to) / unit); },
      *this);
}

inline Vec
convert_euler_angles_from_kocks(const Vec & kocks, const std::string & convention)
{
  const core::Operation op("convert_euler_angles_from_kocks");
  const auto to = tensors::euler_convention(op.name, convention);
  return engine::evaluate_leaf<Vec>(
      op,
      [=](const auto & x) { return kernels::from_kocks(x, to); },
      [=](const Vec & x) { return Vec(tensors::from_kocks(x, to)); },
      kocks);
}
} // namespace neml2
