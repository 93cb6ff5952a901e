// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/axis_angle.h"
#include "neml2/math/elementwise.h"
#include "neml2/tensors/Rot.h"

#include <utility>

/// Rotations by axis and angle, and between two directions: bodies of what Rot.h declares.
namespace neml2
{
namespace tensors
{
/// Direction v / |v| and length |v|; (0, 0, 1) and 0 where v is 0, both of derivative 0. By the largest
/// component, so that no square overflows or underflows. (..., 3) -> (..., 3), (..., 1)
inline std::pair<at::Tensor, at::Tensor>
direction_and_length(const at::Tensor & v)
{
  const at::Tensor detached = v.detach(); // at::abs has no meta kernel
  const at::Tensor largest = detached.maximum(-detached).amax(-1, /*keepdim=*/true),
                   zero = largest.eq(0);
  const at::Tensor scale = select(zero, 1, largest);
  const at::Tensor pole = at::eye(3, v.options()).select(0, 2);
  const at::Tensor u = select(zero, pole, v / scale);
  const at::Tensor length = (u * u).sum(-1, /*keepdim=*/true).sqrt();
  return {u / length, select(zero, 0, scale * length)};
}

/// n tan(θ/4) / |n|, NaN where n is 0. (..., 3), (...) -> (..., 3)
inline at::Tensor
rotation_about(const at::Tensor & n, const at::Tensor & theta)
{
  const at::Tensor length = at::linalg_vector_norm(n, 2, at::IntArrayRef(-1), /*keepdim=*/true);
  return n / length * (theta / 4).tan().unsqueeze(-1);
}
} // namespace tensors

inline Rot
Rot::axis_angle(const Vec & n, const Scalar & theta)
{
  return engine::evaluate_leaf<Rot>(
      "Rot::axis_angle",
      [](const auto & axis, const auto & angle) { return kernels::axis_angle(axis, angle); },
      [](const Vec & axis, const Scalar & angle)
      { return Rot(tensors::rotation_about(axis, angle)); },
      n,
      theta);
}

inline Rot
Rot::from_axis_angle(const Vec & n, const Scalar & theta)
{
  return axis_angle(n, theta);
}

inline Rot
Rot::axis_angle_standard(const Vec & n, const Scalar & theta)
{
  return engine::evaluate_leaf<Rot>(
      "Rot::axis_angle_standard",
      [](const auto & axis, const auto & angle)
      { return kernels::axis_angle_standard(axis, angle); },
      [](const Vec & axis, const at::Tensor & angle)
      {
        const at::Tensor turn = angle / (2 * pi);
        return Rot(tensors::rotation_about(axis, angle - 2 * pi * turn.round()));
      },
      n,
      theta);
}

inline Rot
Rot::from_axis_angle_standard(const Vec & n, const Scalar & theta)
{
  return axis_angle_standard(n, theta);
}

inline Rot
Rot::rotation_from_to(const Vec & a, const Vec & b)
{
  const double tolerance = composed::rounding(a.defined() ? a.scalar_type() : kFloat64);
  return engine::evaluate_leaf<Rot>(
      "Rot::rotation_from_to",
      [=](const auto & from, const auto & to)
      { return kernels::rotation_from_to(from, to, tolerance); },
      [=](const at::Tensor & from, const at::Tensor & to)
      {
        const Size dim = std::max(from.dim(), to.dim());
        const auto unit = [&](const at::Tensor & v)
        {
          const at::Tensor n =
              composed::prepend_dims(v, dim); // linalg_cross asks for equal dimensions
          return n / at::linalg_vector_norm(n, 2, at::IntArrayRef(-1), /*keepdim=*/true);
        };
        // With h = u + v, of length 2 cos(θ/2): u × h = n sin θ and |h|² / 2 = 1 + cos θ keep their digits.
        const at::Tensor u = unit(from), h = u + unit(to),
                         square = (h * h).sum(-1, /*keepdim=*/true);
        const at::Tensor opposite = square < tolerance * tolerance;
        const at::Tensor u0 = u.slice(-1, 0, 1), u1 = u.slice(-1, 1, 2), u2 = u.slice(-1, 2, 3),
                         zero = at::zeros_like(u0);
        const at::Tensor orthogonal = math::select(
            u0 * u0 > u2 * u2, at::cat({-u1, u0, zero}, -1), at::cat({zero, -u2, u1}, -1));
        const at::Tensor sine = math::select(opposite, orthogonal, at::linalg_cross(u, h, -1)),
                         one_plus_cosine = math::select(opposite, 0, square / 2);
        const at::Tensor squares = one_plus_cosine * one_plus_cosine + (sine * sine).sum(-1, true);
        return Rot(sine / (one_plus_cosine + squares.sqrt()));
      },
      a,
      b);
}

inline Vec
Rot::axis() const
{
  return engine::evaluate_leaf<Vec>(
      "Rot::axis",
      [](const auto & r) { return kernels::axis(r); },
      [](const Rot & r) { return Vec(tensors::direction_and_length(r).first); },
      *this);
}

inline Scalar
Rot::angle() const
{
  return engine::evaluate_leaf<Scalar>(
      "Rot::angle",
      [](const auto & r) { return kernels::angle(r); },
      [](const Rot & r)
      { return Scalar(4 * tensors::direction_and_length(r).second.squeeze(-1).atan()); },
      *this);
}
} // namespace neml2
