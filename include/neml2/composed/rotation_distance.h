// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/Rot.h"
#include "neml2/composed/where.h"

/// The angles between rotations, and the two sets of parameters that each rotation has, computed by LibTorch calls.
namespace neml2::composed
{
/// -r_i / (r_k r_k). (..., 3) -> (..., 3)
inline at::Tensor
shadow(const at::Tensor & r)
{
  return -r / dot_last(r, r);
}

/// (2 r_i r_j / s - δ_ij) / s with s = r_k r_k. (..., 3) -> (..., 3, 3)
inline at::Tensor
shadow_derivative(const at::Tensor & r)
{
  const at::Tensor row = r.unsqueeze(-1), column = r.unsqueeze(-2);
  const at::Tensor s = (row * row).sum(-2, /*keepdim=*/true);
  return (2 * row * column / s - at::eye(3, r.options())) / s;
}

/// Angle of a * b^-1 in [0, 2π], for the given parameters. (..., 3), (..., 3) -> (...)
inline at::Tensor
angle_between_parameters(const at::Tensor & a, const at::Tensor & b)
{
  const auto [sine, cosine] = quarter_angle(a, b);
  return 4 * sine.atan2(cosine).squeeze(-1);
}

/// Angle of a * b^-1 in [0, π]. It is the same for both sets of parameters of each rotation. (..., 3), (..., 3) -> (...)
inline at::Tensor
angle_between_rotations(const at::Tensor & a, const at::Tensor & b)
{
  const auto [sine, cosine] = quarter_angle(a, b);
  const at::Tensor less = sine < cosine;
  const at::Tensor least = select(less, sine, cosine), most = select(less, cosine, sine);
  return 4 * least.atan2(most).squeeze(-1);
}

/// 8 / (π (1 + r_i r_i)³). (..., 3) -> (...)
inline at::Tensor
rotation_volume(const at::Tensor & r)
{
  const at::Tensor s = (r * r).sum(-1) + 1;
  return 8 / pi / (s * s * s);
}
} // namespace neml2::composed
