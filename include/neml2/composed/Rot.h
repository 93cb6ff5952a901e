// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/Quaternion.h"
#include "neml2/core/options.h"

#include <utility>

/// Functions of rotations, given by modified Rodrigues parameters, computed by LibTorch calls.
namespace neml2::composed
{
/// The matrix of modified Rodrigues parameters. (..., 3) -> (..., 3, 3)
inline at::Tensor
rotation_matrix(const at::Tensor & r)
{
  const at::Tensor s = (r * r).sum(-1, /*keepdim=*/true).unsqueeze(-1), I = at::eye(3, r.options());
  const at::Tensor W = at::linalg_cross(r.unsqueeze(-1), prepend_dims(I, r.dim() + 1), -2);
  const at::Tensor d = 1 + s;
  return I + (4 * (1 - s) * W + 8 * matrix_product(W, W)) / (d * d);
}

/// The parameters of a rotation matrix, for an angle up to π. (..., 3, 3) -> (..., 3)
inline at::Tensor
rotation_of_matrix(const at::Tensor & M)
{
  return rotation_of_quaternion(quaternion_of_matrix(M));
}

/// ρ_i / (1 + √(1 + ρ_k ρ_k)) of the Rodrigues parameters ρ_i = n_i tan(θ/2). (..., 3) -> (..., 3)
inline at::Tensor
rotation_of_rodrigues(const at::Tensor & rho)
{
  return rho / (1 + at::sqrt(1 + dot_last(rho, rho)));
}

/// J_ik = (4 (1 - s) δ_ik + 8 W_ik + 8 r_i r_k) / (1 + s)² with s = r_k r_k and W = skew(r). The spin is
/// J_ik times the rate of r_k. (..., 3) -> (..., 3, 3)
inline at::Tensor
spin_by_rate(const at::Tensor & r)
{
  const at::Tensor s = (r * r).sum(-1, /*keepdim=*/true).unsqueeze(-1), d = 1 + s;
  const at::Tensor rr = r.unsqueeze(-1) * r.unsqueeze(-2);
  return (4 * (1 - s) * at::eye(3, r.options()) + 8 * (skew(r) + rr)) / (d * d);
}

/// S_kil B_lj, where S_k is the skew matrix of the spin in column k of J. It is the rate of B if only its
/// first index rotates. (..., 3, 3), (..., 3, 3) -> (..., 3, 3, 3)
inline at::Tensor
turn(const at::Tensor & J, const at::Tensor & B)
{
  return at::matmul(skew(J.transpose(-1, -2)), B.unsqueeze(-3));
}

/// ∂R_ij/∂r_k of the rotation matrix. (..., 3) -> (..., 3, 3, 3)
inline at::Tensor
rotation_matrix_derivative(const at::Tensor & r)
{
  const at::Tensor I = at::eye(3, r.options()), dW = skew(I).permute({1, 2, 0}); // -ε_ijk
  const at::Tensor s = (r * r).sum(-1, /*keepdim=*/true).unsqueeze(-1).unsqueeze(-1);
  const at::Tensor r_i = r.unsqueeze(-1).unsqueeze(-1), r_j = r.unsqueeze(-1).unsqueeze(-3),
                   r_k = r.unsqueeze(-2).unsqueeze(-2);
  const at::Tensor q = 1 / (1 + s), b = 8 * q * q;
  const at::Tensor W = at::matmul(dW, r.unsqueeze(-2).unsqueeze(-1));
  const at::Tensor M =
      q * b * ((s - 3) * W - 4 * r_i * r_j) + (4 * q * s - 2) * b * I.unsqueeze(-1);
  return M * r_k + b * (I.unsqueeze(-2) * r_j + I * r_i) + 0.5 * (1 - s) * b * dW;
}

/// The rotation by y, then by x. (..., 3), (..., 3) -> (..., 3)
inline at::Tensor
rotation_product(const at::Tensor & x, const at::Tensor & y)
{
  const auto n = std::max(x.dim(), y.dim()); // linalg_cross needs equal numbers of dimensions
  const at::Tensor p = prepend_dims(x, n), q = prepend_dims(y, n);
  const at::Tensor s = dot_last(p, p), t = dot_last(q, q);
  const at::Tensor numerator = (1 - t) * p + (1 - s) * q + 2 * at::linalg_cross(p, q, -1);
  return numerator / (1 + s * t - 2 * dot_last(p, q));
}

/// Derivative with respect to x of the product of x and y; x is the left factor (sigma = 1) or the right factor (sigma = -1).
/// (..., 3), (..., 3) -> (..., 3, 3)
inline at::Tensor
rotation_product_derivative(const at::Tensor & x, const at::Tensor & y, double sigma)
{
  const auto dot = [](const at::Tensor & c, const at::Tensor & d)
  { return dot_last(c, d).unsqueeze(-1); };
  const at::Tensor c = sigma > 0 ? rotation_product(x, y) : rotation_product(y, x);
  const at::Tensor x_j = x.unsqueeze(-2), y_i = y.unsqueeze(-1), y_j = y.unsqueeze(-2);
  const at::Tensor t = dot(y, y), I = at::eye(3, x.options());
  return ((1 - t) * I - 2 * y_i * x_j - 2 * c.unsqueeze(-1) * (t * x_j - y_j) -
          2 * sigma * skew(y)) /
         (1 + dot(x, x) * t - 2 * dot(x, y));
}

/// A sine or a cosine below this limit is round-off. The function accepts any dtype, because dtypes that are not floating are refused
/// later.
inline double
rounding(Dtype dtype)
{
  if (dtype == kFloat64 || dtype == kFloat32)
    return 16 * core::epsilon_of(dtype);
  return 16 * (dtype == kFloat16 ? 9.7656e-4 : 7.8125e-3);
}

/// Sine and cosine of a quarter of the angle of a * inv(b), both multiplied by √((1 + a · a) (1 + b · b)). Where one of them
/// is 0, its derivatives are 0. (..., 3), (..., 3) -> (..., 1), (..., 1)
inline std::pair<at::Tensor, at::Tensor>
quarter_angle(const at::Tensor & a, const at::Tensor & b)
{
  const auto n = std::max(a.dim(), b.dim());
  const at::Tensor p = prepend_dims(a, n), q = prepend_dims(b, n);
  const at::Tensor real = 1 + dot_last(p, q), vector = at::linalg_cross(p, q, -1);
  return {length_or_zero(p - q), length_or_zero(at::cat({real, vector}, -1))};
}
} // namespace neml2::composed
