// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/Rot.h"
#include "neml2/composed/where.h"

/// Rotations by axis and angle, and between two directions, computed by LibTorch calls.
namespace neml2::composed
{
/// The direction v / |v| and the length |v|; where v is 0, they are (0, 0, 1) and 0, both with derivative 0. The vector is scaled by its
/// largest component, so that no square overflows or underflows. (..., 3) -> (..., 3), (..., 1)
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
  return unit_or_nan(n) * (theta / 4).tan().unsqueeze(-1);
}

/// n tan(θ/4) / |n| for θ reduced to [-π, π] by full turns. (..., 3), (...) -> (..., 3)
inline at::Tensor
shortest_rotation_about(const at::Tensor & n, const at::Tensor & theta)
{
  const at::Tensor turn = theta / (2 * pi);
  return rotation_about(n, theta - 2 * pi * turn.round());
}

/// The rotation that turns the direction of a into the direction of b, computed as in kernels::rotation_from_to.
/// (..., 3), (..., 3) -> (..., 3)
inline at::Tensor
rotation_from_to(const at::Tensor & a, const at::Tensor & b)
{
  const double tolerance = rounding(a.scalar_type());
  const Size dim = std::max(a.dim(), b.dim()); // linalg_cross needs equal numbers of dimensions
  // h = u + v has the length 2 cos(θ/2); u × h = n sin θ and |h|² / 2 = 1 + cos θ are computed without cancellation.
  const at::Tensor u = unit_or_nan(prepend_dims(a, dim)), h = u + unit_or_nan(prepend_dims(b, dim)),
                   square = dot_last(h, h);
  const at::Tensor opposite = square < tolerance * tolerance;
  const at::Tensor u0 = u.slice(-1, 0, 1), u1 = u.slice(-1, 1, 2), u2 = u.slice(-1, 2, 3),
                   zero = at::zeros_like(u0);
  const at::Tensor orthogonal =
      select(u0 * u0 > u2 * u2, at::cat({-u1, u0, zero}, -1), at::cat({zero, -u2, u1}, -1));
  const at::Tensor sine = select(opposite, orthogonal, at::linalg_cross(u, h, -1)),
                   one_plus_cosine = select(opposite, 0, square / 2);
  const at::Tensor squares = one_plus_cosine * one_plus_cosine + dot_last(sine, sine);
  return sine / (one_plus_cosine + squares.sqrt());
}

/// r / |r|, but (0, 0, 1) where r is 0. (..., 3) -> (..., 3)
inline at::Tensor
axis_of_rotation(const at::Tensor & r)
{
  return direction_and_length(r).first;
}

/// 4 atan(|r|). (..., 3) -> (...)
inline at::Tensor
angle_of_rotation(const at::Tensor & r)
{
  return 4 * direction_and_length(r).second.squeeze(-1).atan();
}
} // namespace neml2::composed
