// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/R2.h"
#include "neml2/composed/Rot.h"
#include "neml2/kernels/SR2.h"

/// Functions of symmetric second order tensors in Mandel components, computed by LibTorch calls.
namespace neml2::composed
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

/// s_kk. (..., 6) -> (...)
inline at::Tensor
tr_mandel(const at::Tensor & s)
{
  return s.slice(-1, 0, 3).sum(-1, /*keepdim=*/false, s.scalar_type());
}

/// Volumetric part. (..., 6) -> (..., 6)
inline at::Tensor
vol(const at::Tensor & s)
{
  const at::Tensor normal = s.slice(-1, 0, 3);
  const at::Tensor p = normal.mean(-1, /*keepdim=*/true).expand_as(normal);
  return at::cat({p, at::zeros_like(p)}, -1);
}

/// Deviator s_ij - s_kk δ_ij / 3. (..., 6) -> (..., 6)
inline at::Tensor
dev_mandel(const at::Tensor & s)
{
  return s - vol(s);
}

/// Determinant of the 3×3 tensor. (..., 6) -> (...)
inline at::Tensor
det_mandel(const at::Tensor & s)
{
  return composed::det(full(s)); // qualified, because at::det would match as well
}

/// Inverse. (..., 6) -> (..., 6)
inline at::Tensor
inv_mandel(const at::Tensor & s)
{
  return sym(inv(full(s)));
}

/// R_ik s_kl R_jl in Mandel components. (..., 6), (..., 3, 3) -> (..., 6)
inline at::Tensor
rotate_mandel(const at::Tensor & s, const at::Tensor & R)
{
  return sym(rotate_matrix(full(s), R));
}

/// R_ik s_kl R_jl with the matrix R of r. (..., 6), (..., 3) -> (..., 6)
inline at::Tensor
rotate_mandel_by_parameters(const at::Tensor & s, const at::Tensor & r)
{
  return rotate_mandel(s, rotation_matrix(r));
}

/// Orthonormal basis of the symmetric tensors. Row p has the nine components of the tensor whose Mandel component p is 1 and whose others
/// are 0. (6, 9)
inline at::Tensor
mandel_basis(const TensorOptions & options)
{
  return full(at::eye(6, options)).flatten(-2);
}

/// Mandel components of the part with both minor symmetries, from flattened pairs. (..., 9, 9) -> (..., 6, 6)
inline at::Tensor
sym_pairs(const at::Tensor & M)
{
  return rotate_matrix(M, mandel_basis(M.options()));
}

/// ∂(R_im s_mn R_jn)/∂R_kl in Mandel components of ij. (..., 6), (..., 3, 3) -> (..., 6, 3, 3)
inline at::Tensor
drotate_mandel(const at::Tensor & s, const at::Tensor & R)
{
  const at::Tensor basis = mandel_basis(R.options()).unflatten(-1, at::IntArrayRef({3, 3}));
  return at::matmul(2 * basis, at::matmul(R, full(s)).unsqueeze(-3));
}

/// ∂(R_il s_lm R_jm)/∂r_k with the matrix R of r. (..., 6), (..., 3) -> (..., 6, 3)
inline at::Tensor
drotate_mandel_by_parameters(const at::Tensor & s, const at::Tensor & r)
{
  const at::Tensor B = rotate_matrix(full(s), rotation_matrix(r));
  const at::Tensor kp = sym(turn(spin_by_rate(r), B)) * 2;
  return kp.transpose(-1, -2).contiguous();
}
} // namespace neml2::composed
