// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/R2.h"
#include "neml2/composed/where.h"
#include "neml2/kernels/Quaternion.h"

#include <utility>

/// Functions of quaternions, scalar first, computed by LibTorch calls. Batch dimensions broadcast as in at::mul, provided that the operands
/// have the same number of dimensions.
namespace neml2::composed
{
/// The scalar and the vector part. (..., 4) -> (..., 1), (..., 3)
inline std::pair<at::Tensor, at::Tensor>
scalar_and_vector(const at::Tensor & q)
{
  return {q.slice(-1, 0, 1), q.slice(-1, 1, 4)};
}

/// -1 where x < 0, otherwise 1; autograd treats the result as a constant.
inline at::Tensor
side_of(const at::Tensor & x)
{
  return 1 - 2 * x.lt(0).to(x.scalar_type());
}

/// Hamilton's product. (..., 4), (..., 4) -> (..., 4)
inline at::Tensor
quaternion_product(const at::Tensor & q, const at::Tensor & p)
{
  const Size n = std::max(q.dim(), p.dim()); // linalg_cross needs equal numbers of dimensions
  const auto [s, u] = scalar_and_vector(prepend_dims(q, n));
  const auto [t, w] = scalar_and_vector(prepend_dims(p, n));
  return at::cat({s * t - dot_last(u, w), s * w + t * u + at::linalg_cross(u, w, -1)}, -1);
}

/// (s, -u). (..., 4) -> (..., 4)
inline at::Tensor
quaternion_conjugate(const at::Tensor & q)
{
  const auto [s, u] = scalar_and_vector(q);
  return at::cat({s, -u}, -1);
}

/// (s, -u) / (s² + u_i u_i). (..., 4) -> (..., 4)
inline at::Tensor
quaternion_inverse(const at::Tensor & q)
{
  return quaternion_conjugate(q) / dot_last(q, q);
}

/// The rotation matrix of a unit quaternion. (..., 4) -> (..., 3, 3)
inline at::Tensor
quaternion_matrix(const at::Tensor & q)
{
  const auto [s, u] = scalar_and_vector(q);
  const at::Tensor W = skew(u);
  return at::eye(3, q.options()) + 2 * s.unsqueeze(-1) * W + 2 * at::matmul(W, W);
}

/// R_ij v_j with the matrix R of a unit quaternion. (..., 3), (..., 4) -> (..., 3)
inline at::Tensor
rotate_vector_by_quaternion(const at::Tensor & v, const at::Tensor & q)
{
  return matrix_vector(quaternion_matrix(q), v);
}

/// The unit quaternion of modified Rodrigues parameters. (..., 3) -> (..., 4)
inline at::Tensor
quaternion_of_rotation(const at::Tensor & r)
{
  const at::Tensor s = dot_last(r, r);
  return at::cat({1 - s, 2 * r}, -1) / (1 + s);
}

/// The modified Rodrigues parameters, with an angle of at most π, of the rotation of a quaternion of any length except 0.
/// (..., 4) -> (..., 3)
inline at::Tensor
rotation_of_quaternion(const at::Tensor & q)
{
  const auto [s, u] = scalar_and_vector(q);
  const at::Tensor sign = side_of(s);
  return u * (sign / (at::sqrt(dot_last(q, q)) + sign * s));
}

/// The matrix 4 q_k q_l of the unit quaternion q of a rotation matrix; it is linear in the rotation matrix. (..., 3, 3) -> (..., 4, 4)
inline at::Tensor
quaternion_rows(const at::Tensor & M)
{
  const at::Tensor t = M.diagonal(0, -2, -1).sum(-1), transposed = M.transpose(-1, -2);
  const at::Tensor skewed = M - transposed;
  const auto entry = [&](Size i, Size j) { return skewed.select(-2, i).select(-1, j); };
  const at::Tensor axis = at::stack({entry(2, 1), entry(0, 2), entry(1, 0)}, -1);
  const at::Tensor u = (1 - t).unsqueeze(-1).unsqueeze(-1);
  const at::Tensor vector = M + transposed + u * at::eye(3, M.options().requires_grad(false));
  return at::cat({at::cat({(1 + t).unsqueeze(-1), axis}, -1).unsqueeze(-2),
                  at::cat({axis.unsqueeze(-1), vector}, -1)},
                 -2);
}

/// The unit quaternion of a rotation matrix, with a scalar part that is not negative. It is computed as in
/// kernels::unit_quaternion, so that both functions choose the same quaternion at θ = π. The result is NaN for a reflection. (..., 3, 3)
/// -> (..., 4)
inline at::Tensor
quaternion_of_matrix(const at::Tensor & M)
{
  const at::Tensor rows = quaternion_rows(M);
  const at::Tensor largest = rows.diagonal(0, -2, -1).argmax(-1, /*keepdim=*/true);
  const at::Tensor q = rows.take_along_dim(largest.unsqueeze(-1), -2).squeeze(-2);
  const at::Tensor c = at::linalg_cross(M.select(-2, 1), M.select(-2, 2), -1);
  const at::Tensor determinant = (M.select(-2, 0) * c).sum(-1, /*keepdim=*/true).detach();
  return only_where(determinant > 0, q * (side_of(q.slice(-1, 0, 1)) / at::sqrt(dot_last(q, q))));
}

/// (cos θ/2, n sin(θ/2) / |n|). (..., 3), (...) -> (..., 4)
inline at::Tensor
quaternion_about(const at::Tensor & n, const at::Tensor & theta)
{
  const at::Tensor half = (theta / 2).unsqueeze(-1);
  const at::Tensor u = unit_or_nan(n) * half.sin();
  return at::cat({half.cos().expand_as(u.slice(-1, 0, 1)), u}, -1);
}

/// 2 atan2(|u|, |s|). (..., 4) -> (...)
inline at::Tensor
quaternion_angle(const at::Tensor & q)
{
  const auto [s, u] = scalar_and_vector(q);
  return 2 * length_or_zero(u).atan2(side_of(s) * s).squeeze(-1);
}

/// u / |u|, or -u / |u| where s < 0. (..., 4) -> (..., 3)
inline at::Tensor
quaternion_axis(const at::Tensor & q)
{
  const auto [s, u] = scalar_and_vector(q);
  return u * (side_of(s) / at::sqrt(dot_last(u, u)));
}

/// (cos(|w|/2), w sin(|w|/2) / |w|), computed as in kernels::exp_quaternion. The condition `near` is a tensor of
/// ones and zeros, because at::where has no meta kernel. (..., 3) -> (..., 4)
inline at::Tensor
quaternion_exp_map(const at::Tensor & w)
{
  const at::Tensor x = dot_last(w, w) * 0.25, near = x.lt(1e-3).to(x.scalar_type());
  const at::Tensor y = x * near, half = at::sqrt(x * (1 - near) + near);
  const at::Tensor s = near * kernels::cos_series<5>(y) + (1 - near) * half.cos();
  const at::Tensor k = near * kernels::sinc_series<5>(y) + (1 - near) * half.sin() / half;
  return at::cat({s, 0.5 * k * w}, -1);
}

/// 2 atan(|u| / s) u / |u|; where s < 0, the same for -q. (..., 4) -> (..., 3)
inline at::Tensor
quaternion_log_map(const at::Tensor & q)
{
  const auto [scalar, u] = scalar_and_vector(q);
  const at::Tensor sign = side_of(scalar), s = sign * scalar, square = dot_last(u, u);
  const at::Tensor near = square.lt(1e-4 * s * s).to(s.scalar_type()), far = 1 - near;
  const at::Tensor divisor = s * near + far, length = at::sqrt(square * far + near);
  const at::Tensor x = near * square / (divisor * divisor);
  const at::Tensor k = near * kernels::atan_series<6>(x) / divisor + far * length.atan2(s) / length;
  return 2 * sign * k * u;
}

/// The angle in [0, π] between the rotations of quaternions of any length except 0. (..., 4), (..., 4) -> (...)
inline at::Tensor
rotation_angle(const at::Tensor & p, const at::Tensor & q)
{
  const at::Tensor a = p / at::sqrt(dot_last(p, p)), unsigned_b = q / at::sqrt(dot_last(q, q));
  const at::Tensor b = unsigned_b * side_of(dot_last(a, unsigned_b));
  return 4 * length_or_zero(a - b).atan2(length_or_zero(a + b)).squeeze(-1);
}

/// 2 acos(min(|p · q|, 1)), computed as in kernels::dist. (..., 4), (..., 4) -> (...)
inline at::Tensor
quaternion_distance(const at::Tensor & p, const at::Tensor & q, double tolerance)
{
  const auto is_unit = [&](const at::Tensor & x)
  {
    const at::Tensor u = dot_last(x, x) - 1;
    return u.le(tolerance).to(x.scalar_type()) * u.ge(-tolerance).to(x.scalar_type());
  };
  const at::Tensor units = is_unit(p) * is_unit(q), others = 1 - units;
  const at::Tensor b = q * side_of(dot_last(p, q)), c = dot_last(p, b);
  // Squares of quaternions that are not of unit length may overflow: such quaternions are replaced by 0.
  const at::Tensor P = p * units, B = b * units;
  const at::Tensor squares = dot_last(P, P) + dot_last(B, B), slope = squares.detach() - squares;
  const auto one_and = [&](int f) // 1 + f c
  {
    const at::Tensor d = P + f * B;
    return 0.5 * (dot_last(d, d) + slope) + (1 + f * c) * others;
  };
  return 4 * root_or_zero(one_and(-1).clamp_min(0)).atan2(at::sqrt(one_and(1))).squeeze(-1);
}

/// (sin((1 - t) Ω) q ± sin(t Ω) p) / sin Ω, where cos Ω = |q · p| and ± is the sign of q · p; NaN unless -8 ≤ t ≤ 9.
/// (..., 4), (..., 4), (...) -> (..., 4)
inline at::Tensor
slerp(const at::Tensor & q, const at::Tensor & p, const at::Tensor & t)
{
  const auto in_range = [](const at::Tensor & x) // infinite outside the range: the result is NaN
  { return x / x.ge(-8).to(x.scalar_type()) / x.le(9).to(x.scalar_type()); };
  const at::Tensor nearer = p * side_of(dot_last(q, p)), v = in_range(t).unsqueeze(-1);
  const at::Tensor d = dot_last(q - nearer, q - nearer),
                   x = d / (d + dot_last(q + nearer, q + nearer));
  const at::Tensor near = ((1 + v * v) * x).lt(2.5e-4).to(x.scalar_type()), far = 1 - near;

  const at::Tensor y = near * x, square = 4 * y * kernels::squared_asin_series<5>(y);
  const at::Tensor series = near / kernels::sinc_series<4>(square);
  const at::Tensor z = far * x + 0.5 * near, sine = at::sqrt(z), cosine = at::sqrt(1 - z);
  const at::Tensor angle = 2 * sine.atan2(cosine), i = 0.5 * far / (sine * cosine);
  const auto weight = [&](const at::Tensor & w)
  {
    const at::Tensor nearby = near * w;
    return w * kernels::sinc_series<4>(at::Tensor(nearby * nearby * square)) * series +
           (w * angle).sin() * i;
  };
  return q * weight(1 - v) + nearer * weight(v);
}
} // namespace neml2::composed
