// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/Components.h"
#include "neml2/kernels/SR2.h"

#include <limits>

/// Coarse ATen calls that the batch bodies of second and fourth order tensors are made of. They call
/// no fused operation of the library: every one of those that a batch body names is compiled in all
/// programs that use the operation. Batch dimensions broadcast as matmul's do.
namespace neml2::core
{
/// All nine components. (..., 6) -> (..., 3, 3)
inline at::Tensor
full(const at::Tensor & s)
{
  const at::Tensor shear = s.slice(-1, 3, 6) * kernels::invsqrt2;
  const auto n = [&](Size i) { return s.select(-1, i); };
  const auto t = [&](Size i) { return shear.select(-1, i); };
  const at::Tensor entries[] = {n(0), t(2), t(1), t(2), n(1), t(0), t(1), t(0), n(2)};
  return at::stack(entries, -1).unflatten(-1, at::IntArrayRef({3, 3}));
}

/// Symmetric part. (..., 3, 3) -> (..., 6)
inline at::Tensor
sym(const at::Tensor & A)
{
  const at::Tensor twice = A + A.transpose(-1, -2);
  const auto entry = [&](Size i, Size j) { return twice.select(-2, i).select(-1, j); };
  const at::Tensor shear[] = {entry(1, 2), entry(0, 2), entry(0, 1)};
  return at::cat({A.diagonal(0, -2, -1), at::stack(shear, -1) * kernels::invsqrt2}, -1);
}

/// Volumetric part. (..., 6) -> (..., 6)
inline at::Tensor
vol(const at::Tensor & s)
{
  const at::Tensor normal = s.slice(-1, 0, 3);
  const at::Tensor p = normal.mean(-1, /*keepdim=*/true).expand_as(normal);
  return at::cat({p, at::zeros_like(p)}, -1);
}

/// Volumetric part A_kk δ_ij / n. (..., n, n) -> (..., n, n)
inline at::Tensor
vol_matrix(const at::Tensor & A)
{
  const at::Tensor normal = A.diagonal(0, -2, -1);
  return at::diag_embed(normal.mean(-1, /*keepdim=*/true).expand_as(normal));
}

/// W_ij = -ε_ijk v_k. (..., 3) -> (..., 3, 3)
inline at::Tensor
skew(const at::Tensor & v)
{
  const at::Tensor v0 = v.select(-1, 0), v1 = v.select(-1, 1), v2 = v.select(-1, 2);
  const at::Tensor zero = at::zeros_like(v0);
  const at::Tensor entries[] = {zero, -v2, v1, v2, zero, -v0, -v1, v0, zero};
  return at::stack(entries, -1).unflatten(-1, at::IntArrayRef({3, 3}));
}

/// Cofactors det(A) A_ji^-1, also where A is singular: cross products of the rows.
/// (..., 3, 3) -> (..., 3, 3)
inline at::Tensor
cofactors(const at::Tensor & A)
{
  const at::Tensor a = A.select(-2, 0), b = A.select(-2, 1), c = A.select(-2, 2);
  const at::Tensor rows[] = {
      at::linalg_cross(b, c, -1), at::linalg_cross(c, a, -1), at::linalg_cross(a, b, -1)};
  return at::stack(rows, -2);
}

/// Determinant, by cofactors of the first row. (..., 3, 3) -> (...)
inline at::Tensor
det(const at::Tensor & A)
{
  const at::Tensor c = at::linalg_cross(A.select(-2, 1), A.select(-2, 2), -1);
  return (A.select(-2, 0) * c).sum(-1, /*keepdim=*/false, A.scalar_type());
}

/// Inverse, by the cofactors of the transpose. (..., 3, 3) -> (..., 3, 3)
inline at::Tensor
inv(const at::Tensor & A)
{
  const at::Tensor adjugate = cofactors(A.transpose(-1, -2));
  const at::Tensor d = (A.select(-1, 0) * adjugate.select(-2, 0)).sum(-1, /*keepdim=*/true);
  return adjugate / d.unsqueeze(-1);
}

/// The tensor for LAPACK: float32 as float64 on the CPU, where LAPACK's float32 raises floating-point
/// exceptions on ordinary matrices.
inline at::Tensor
for_lapack(const at::Tensor & t)
{
  return t.is_cpu() && t.scalar_type() == kFloat32 ? t.to(kFloat64) : t;
}

/// Inverse of a matrix of any size; NaN where a pivot is 0. (..., n, n) -> (..., n, n)
inline at::Tensor
inverse_or_nan(const at::Tensor & M)
{
  const auto [inverse, info] = at::linalg_inv_ex(for_lapack(M));
  const at::Tensor singular = info.ne(0).unsqueeze(-1).unsqueeze(-1);
  return inverse.masked_fill(singular, std::numeric_limits<double>::quiet_NaN())
      .to(M.scalar_type());
}

/// Determinant of a matrix of any size. (..., n, n) -> (...)
inline at::Tensor
det_of_any(const at::Tensor & M)
{
  return at::linalg_det(for_lapack(M).contiguous()).to(M.scalar_type());
}

/// The matrix of modified Rodrigues parameters. (..., 3) -> (..., 3, 3)
inline at::Tensor
rotation_matrix(const at::Tensor & r)
{
  const at::Tensor s = (r * r).sum(-1, /*keepdim=*/true).unsqueeze(-1), I = at::eye(3, r.options());
  const at::Tensor W = at::linalg_cross(r.unsqueeze(-1), prepend_dims(I, r.dim() + 1), -2);
  const at::Tensor d = 1 + s;
  return I + (4 * (1 - s) * W + 8 * at::matmul(W, W)) / (d * d);
}

/// J_ik = (4 (1 - s) δ_ik + 8 W_ik + 8 r_i r_k) / (1 + s)², s = r_k r_k, W = skew(r): the spin is
/// J_ik times the rate of r_k. (..., 3) -> (..., 3, 3)
inline at::Tensor
spin_by_rate(const at::Tensor & r)
{
  const at::Tensor s = (r * r).sum(-1, /*keepdim=*/true).unsqueeze(-1), d = 1 + s;
  const at::Tensor rr = r.unsqueeze(-1) * r.unsqueeze(-2);
  return (4 * (1 - s) * at::eye(3, r.options()) + 8 * (skew(r) + rr)) / (d * d);
}

/// S_kil B_lj, where S_k is the skew matrix of the spin in column k of J: what it makes of B's
/// first index. (..., 3, 3), (..., 3, 3) -> (..., 3, 3, 3)
inline at::Tensor
turn(const at::Tensor & J, const at::Tensor & B)
{
  return at::matmul(skew(J.transpose(-1, -2)), B.unsqueeze(-3));
}

/// R_ik A_kl R_jl. (..., n, n), (..., n, n) -> (..., n, n)
inline at::Tensor
rotate_matrix(const at::Tensor & A, const at::Tensor & R)
{
  return at::matmul(at::matmul(R, A), R.transpose(-1, -2));
}

/// R_ik s_kl R_jl in Mandel components. (..., 6), (..., 3, 3) -> (..., 6)
inline at::Tensor
rotate_mandel(const at::Tensor & s, const at::Tensor & R)
{
  return sym(rotate_matrix(full(s), R));
}

/// Orthonormal basis of the symmetric tensors: the nine components of each Mandel component. (6, 9)
inline at::Tensor
mandel_basis(const TensorOptions & options)
{
  return full(at::eye(6, options)).flatten(-2);
}

/// The matrix that rotates Mandel components. (..., 3, 3) -> (..., 6, 6)
inline at::Tensor
mandel_rotation(const at::Tensor & R)
{
  const at::Tensor ik = R.unsqueeze(-2).unsqueeze(-1), jl = R.unsqueeze(-3).unsqueeze(-2);
  return rotate_matrix((ik * jl).flatten(-2).flatten(-3, -2), mandel_basis(R.options()));
}
} // namespace neml2::core
