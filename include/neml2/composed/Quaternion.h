// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/R2.h"

/// Quaternions, scalar first, in LibTorch calls. Batch dimensions broadcast as at::mul's do with equally many
/// dimensions.
namespace neml2::composed
{
/// Scalar and vector part. (..., 4) -> (..., 1), (..., 3)
inline std::pair<at::Tensor, at::Tensor>
scalar_and_vector(const at::Tensor & q)
{
  return {q.slice(-1, 0, 1), q.slice(-1, 1, 4)};
}

/// (..., n), (..., n) -> (..., 1)
inline at::Tensor
dot_last(const at::Tensor & a, const at::Tensor & b)
{
  return (a * b).sum(-1, /*keepdim=*/true);
}

/// √x, whose derivatives are 0 where it is 0.
inline at::Tensor
root_or_zero(const at::Tensor & x)
{
  const at::Tensor zero = x.eq(0).to(x.scalar_type());
  return at::sqrt(x + zero) * (1 - zero);
}

/// √(x_i x_i), whose derivatives are 0 where it is 0. (..., n) -> (..., 1)
inline at::Tensor
length_or_zero(const at::Tensor & x)
{
  return root_or_zero(dot_last(x, x));
}

/// -1 where x < 0, else 1, without derivative.
inline at::Tensor
side_of(const at::Tensor & x)
{
  return 1 - 2 * x.lt(0).to(x.scalar_type());
}

/// Hamilton's product. (..., 4), (..., 4) -> (..., 4)
inline at::Tensor
quaternion_product(const at::Tensor & q, const at::Tensor & p)
{
  const Size n = std::max(q.dim(), p.dim()); // linalg_cross asks for equal dimensions
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

/// The rotation matrix of a unit quaternion. (..., 4) -> (..., 3, 3)
inline at::Tensor
quaternion_matrix(const at::Tensor & q)
{
  const auto [s, u] = scalar_and_vector(q);
  const at::Tensor W = skew(u);
  return at::eye(3, q.options()) + 2 * s.unsqueeze(-1) * W + 2 * at::matmul(W, W);
}

/// The unit quaternion of modified Rodrigues parameters. (..., 3) -> (..., 4)
inline at::Tensor
quaternion_of_rotation(const at::Tensor & r)
{
  const at::Tensor s = dot_last(r, r);
  return at::cat({1 - s, 2 * r}, -1) / (1 + s);
}

/// The modified Rodrigues parameters, of an angle up to π, of a quaternion of any length but 0.
/// (..., 4) -> (..., 3)
inline at::Tensor
rotation_of_quaternion(const at::Tensor & q)
{
  const auto [s, u] = scalar_and_vector(q);
  const at::Tensor sign = side_of(s);
  return u * (sign / (at::sqrt(dot_last(q, q)) + sign * s));
}

/// The matrix 4 q_k q_l of the unit quaternion q of a rotation matrix, linear in it. (..., 3, 3) -> (..., 4, 4)
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

/// The unit quaternion of a rotation matrix, its scalar not negative: the steps of
/// kernels::unit_quaternion, so that both choose the same one at θ = π. (..., 3, 3) -> (..., 4)
inline at::Tensor
quaternion_of_matrix(const at::Tensor & M)
{
  const at::Tensor rows = quaternion_rows(M);
  const at::Tensor largest = rows.diagonal(0, -2, -1).argmax(-1, /*keepdim=*/true);
  const at::Tensor q = rows.take_along_dim(largest.unsqueeze(-1), -2).squeeze(-2);
  return q * (side_of(q.slice(-1, 0, 1)) / at::sqrt(dot_last(q, q)));
}

/// The angle in [0, π] between the rotations of quaternions of any length but 0. (..., 4), (..., 4) -> (...)
inline at::Tensor
rotation_angle(const at::Tensor & p, const at::Tensor & q)
{
  const at::Tensor a = p / at::sqrt(dot_last(p, p)), unsigned_b = q / at::sqrt(dot_last(q, q));
  const at::Tensor b = unsigned_b * side_of(dot_last(a, unsigned_b));
  return 4 * length_or_zero(a - b).atan2(length_or_zero(a + b)).squeeze(-1);
}

/// 2 acos(min(|p · q|, 1)), the steps of kernels::dist. (..., 4), (..., 4) -> (...)
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
  // Quaternions of other lengths may be too long to be squared: 0 in their place.
  const at::Tensor P = p * units, B = b * units;
  const at::Tensor squares = dot_last(P, P) + dot_last(B, B), slope = squares.detach() - squares;
  const auto one_and = [&](int f) // 1 + f c
  {
    const at::Tensor d = P + f * B;
    return 0.5 * (dot_last(d, d) + slope) + (1 + f * c) * others;
  };
  return 4 * root_or_zero(one_and(-1).clamp_min(0)).atan2(at::sqrt(one_and(1))).squeeze(-1);
}
} // namespace neml2::composed
