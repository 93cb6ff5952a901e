// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/Quaternion.h"
#include "neml2/composed/where.h"
#include "neml2/kernels/exponential_map.h"

/// Maps from skew tensors to rotations, and back, computed by LibTorch calls. An argument s is the square of a length.
namespace neml2::composed
{
/// tan(√s / 4) / √s, as in kernels::exp_map. (...) -> (...)
inline at::Tensor
exp_map_factor(const at::Tensor & s)
{
  const at::Tensor small = s < kernels::exp_map_switch, theta = select(small, 1, s).sqrt();
  const at::Tensor near =
      0.25 * kernels::polynomial(kernels::tangent_series, 0.0625 * select(small, s, 0));
  return select(small, near, (theta / 4).tan() / theta);
}

/// Twice the derivative of exp_map_factor with respect to s, as in kernels::dexp_map. (...) -> (...)
inline at::Tensor
exp_map_slope(const at::Tensor & s)
{
  const at::Tensor small = s < kernels::exp_map_switch, square = select(small, 1, s);
  const at::Tensor near =
      0.03125 * kernels::polynomial(kernels::tangent_slope_series, 0.0625 * select(small, s, 0));
  const at::Tensor theta = square.sqrt(), t = (theta / 4).tan();
  return select(small, near, (0.25 + 0.25 * t * t - t / theta) / square);
}

/// 4 atan(√s) / √s, as in kernels::log_map. (...) -> (...)
inline at::Tensor
log_map_factor(const at::Tensor & s)
{
  const at::Tensor small = s < kernels::log_map_switch, n = select(small, 1, s).sqrt();
  const at::Tensor near = 4 * kernels::polynomial(kernels::arctangent_series, select(small, s, 0));
  return select(small, near, 4 * n.atan() / n);
}

/// w tan(θ/4) / θ, θ = |w|. (..., 3) -> (..., 3)
inline at::Tensor
exp_map(const at::Tensor & w)
{
  return w * exp_map_factor(dot_last(w, w));
}

/// The derivative of w tan(θ/4) / θ: g δ_ij + h w_i w_j, where g is exp_map_factor and h is exp_map_slope at |w|². (..., 3) -> (..., 3, 3)
inline at::Tensor
exp_map_derivative(const at::Tensor & w)
{
  const at::Tensor s = dot_last(w, w).unsqueeze(-1), I = at::eye(3, w.options());
  const at::Tensor row = w.unsqueeze(-1), column = w.unsqueeze(-2);
  return exp_map_factor(s) * I + exp_map_slope(s) * row * column;
}

/// 4 atan(|r|) r / |r|. (..., 3) -> (..., 3)
inline at::Tensor
log_map(const at::Tensor & r)
{
  return r * log_map_factor(dot_last(r, r));
}
} // namespace neml2::composed
