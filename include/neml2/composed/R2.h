// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/Components.h"
#include "neml2/composed/where.h"
#include "neml2/core/Operand.h"

#include <algorithm>
#include <utility>

/// Functions of second order tensors and matrices, computed by LibTorch calls.
namespace neml2::composed
{
/// A_kk. (..., n, n) -> (...)
inline at::Tensor
tr_matrix(const at::Tensor & A)
{
  return A.diagonal(0, -2, -1).sum(-1, /*keepdim=*/false, A.scalar_type());
}

/// Volumetric part A_kk δ_ij / n. (..., n, n) -> (..., n, n)
inline at::Tensor
vol_matrix(const at::Tensor & A)
{
  const at::Tensor normal = A.diagonal(0, -2, -1);
  return at::diag_embed(normal.mean(-1, /*keepdim=*/true).expand_as(normal));
}

/// Deviator A_ij - A_kk δ_ij / n. (..., n, n) -> (..., n, n)
inline at::Tensor
dev_matrix(const at::Tensor & A)
{
  return A - vol_matrix(A);
}

/// A_ik b_k. (..., m, n), (..., n) -> (..., m)
inline at::Tensor
matrix_vector(const at::Tensor & A, const at::Tensor & b)
{
  return at::matmul(A, b.unsqueeze(-1)).squeeze(-1);
}

/// a_i B_ij. (..., m), (..., m, n) -> (..., n)
inline at::Tensor
vector_matrix(const at::Tensor & a, const at::Tensor & B)
{
  return at::matmul(a.unsqueeze(-2), B).squeeze(-2);
}

/// A_ij B_kl. (..., m, n), (..., p, q) -> (..., m, n, p, q)
inline at::Tensor
outer_matrix(const at::Tensor & A, const at::Tensor & B)
{
  return A.unsqueeze(-1).unsqueeze(-1) * B.unsqueeze(-3).unsqueeze(-3);
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

/// The cofactors, which are cross products of the rows. They are det(A) A_ji^-1, but also defined where A is singular.
/// (..., 3, 3) -> (..., 3, 3)
inline at::Tensor
cofactors(const at::Tensor & A)
{
  const at::Tensor a = A.select(-2, 0), b = A.select(-2, 1), c = A.select(-2, 2);
  const at::Tensor rows[] = {
      at::linalg_cross(b, c, -1), at::linalg_cross(c, a, -1), at::linalg_cross(a, b, -1)};
  return at::stack(rows, -2);
}

/// b × c. The part of c along b, which would cancel in the product, is subtracted first; autograd treats the size of this part as a
/// constant. (..., 3), (..., 3) -> (..., 3)
inline at::Tensor
cross_by_projection(const at::Tensor & b, at::Tensor c)
{
  const auto constant = [](const at::Tensor & x, const at::Tensor & y)
  { return (x * y).sum(-1, /*keepdim=*/true).detach(); };
  const at::Tensor square = constant(b, b);
  const at::Tensor along = constant(b, c) / square.masked_fill(square.gt(0).bitwise_not(), 1);
  c = c.addcmul(along, b, -1);
  return at::linalg_cross(b, c, -1);
}

/// Determinant: as in kernels::det_of(ScaledRows) for floating dtypes, otherwise by cofactors of the first row. (..., 3, 3) -> (...)
inline at::Tensor
det(const at::Tensor & A)
{
  if (!c10::isFloatingType(A.scalar_type()))
  {
    const at::Tensor c = at::linalg_cross(A.select(-2, 1), A.select(-2, 2), -1);
    return (A.select(-2, 0) * c).sum(-1, /*keepdim=*/false, A.scalar_type());
  }
  const at::Tensor s = scale_of(A);
  const auto row = [&](int i) { return A.select(-2, i) / s.select(-2, i); };
  const at::Tensor normal = cross_by_projection(row(1), row(2));
  const at::Tensor d = (row(0) * normal).sum(-1, /*keepdim=*/true);
  const at::Tensor x = s.select(-2, 0), y = s.select(-2, 1), z = s.select(-2, 2),
                   lower = x.minimum(y), upper = x.maximum(y),
                   middle = lower.maximum(upper.minimum(z));
  return (lower.minimum(z) * upper.maximum(z) * d * middle).squeeze(-1);
}

/// Inverse, by the cofactors of the transpose, as in kernels::inv_of(ScaledRows). (..., 3, 3) -> (..., 3, 3)
inline at::Tensor
inv(const at::Tensor & A)
{
  const at::Tensor s = scale_of(A);
  at::Tensor columns[3], d;
  {
    const at::Tensor rows = A / s; // freed before the columns are joined
    const auto row = [&](int i) { return rows.select(-2, i % 3); };
    d = (row(0) * cross_by_projection(row(1), row(2))).sum(-1, /*keepdim=*/true);
    for (int j = 0; j < 3; j++)
      columns[j] = at::linalg_cross(row(j + 1), row(j + 2), -1);
  }
  at::Tensor r = at::stack(columns, -1);
  for (at::Tensor & column : columns)
    column.reset();
  r = r / d.unsqueeze(-1);
  return r / s.transpose(-1, -2);
}

/// Prepares a tensor for LAPACK, or for its replacement on a device. On the CPU float32 becomes float64, because
/// LAPACK's float32 functions raise floating-point exceptions on ordinary matrices.
/// @throws c10::Error for a dtype that LAPACK does not support; translate_errors reports it for the operation.
inline at::Tensor
for_lapack(const at::Tensor & t)
{
  TORCH_CHECK(t.scalar_type() == kFloat32 || t.scalar_type() == kFloat64,
              "not defined for dtype ",
              dtype_name(t.scalar_type()),
              ". Expected float32 or float64; convert with .to(kFloat32).");
  return t.is_cpu() && t.scalar_type() == kFloat32 ? t.to(kFloat64) : t;
}

/// The matrices M, but NaN where `singular` holds. Unlike those of masked_fill, their derivatives are NaN, too.
/// (...), (..., n, k) -> (..., n, k)
inline at::Tensor
nan_where(const at::Tensor & singular, const at::Tensor & M)
{
  return only_where(singular.bitwise_not().unsqueeze(-1).unsqueeze(-1), M);
}

/// Inverse of a matrix of any size; NaN where a pivot is 0. (..., n, n) -> (..., n, n)
inline at::Tensor
inverse_or_nan(const at::Tensor & M)
{
  const auto [inverse, info] = at::linalg_inv_ex(for_lapack(M));
  return nan_where(info.ne(0), inverse).to(M.scalar_type());
}

/// The solution X of A X = B, which is NaN where A is singular, and whether A is singular. (..., n, n), (..., n, k) -> (..., n, k), (...)
inline std::pair<at::Tensor, at::Tensor>
solve_or_nan(const at::Tensor & A, const at::Tensor & B)
{
  // LibTorch takes B as matrices, not as vectors, if A and B have the same number of dimensions.
  const Size dim = std::max(A.dim(), B.dim());
  const auto matrices = [&](const at::Tensor & t) { return for_lapack(prepend_dims(t, dim)); };
  const auto solution = [&]
  {
    at::Tensor a = matrices(A);
    const at::Tensor b = matrices(B);
    if (!is_transformed(A) && !is_transformed(B))
    {
      if (!c10::GradMode::is_enabled() || !(a.requires_grad() || b.requires_grad()))
        return at::linalg_solve_ex(a, b);
      // LibTorch's derivative would throw for the whole batch if one matrix is singular.
      const at::Tensor info = std::get<2>(at::linalg_lu_factor_ex(a.detach()));
      const at::Tensor identity = at::eye(a.size(-1), a.options().requires_grad(false));
      a = at::where(info.ne(0).unsqueeze(-1).unsqueeze(-1), identity + 0 * a, a);
      return std::tuple(std::get<0>(at::linalg_solve_ex(a, b)), info);
    }
    // PyTorch's derivative of linalg_solve is wrong where vmap runs over forward mode (as in jacfwd), and fails for a singular matrix in
    // functorch. Therefore the solution is computed as A^-1 b = y + A^-1 (b - A y), which holds for any y.
    const auto [inverse, info] = at::linalg_inv_ex(a);
    const at::Tensor y = at::matmul(inverse, b);
    return std::tuple(y + at::matmul(inverse, b - at::matmul(a, y)), info);
  };
  const auto [x, info] = solution();
  const at::Tensor singular = info.ne(0);
  return {nan_where(singular, x).to(B.scalar_type()), singular};
}

/// Determinant of a matrix of any size. (..., n, n) -> (...)
inline at::Tensor
det_of_any(const at::Tensor & M)
{
  return at::linalg_det(for_lapack(M).contiguous()).to(M.scalar_type());
}

/// R_ik A_kl R_jl. (..., n, n), (..., n, n) -> (..., n, n)
inline at::Tensor
rotate_matrix(const at::Tensor & A, const at::Tensor & R)
{
  return at::matmul(at::matmul(R, A), R.transpose(-1, -2));
}

/// ∂(R_im A_mn R_jn)/∂R_kl = δ_ik R_jn A_ln + δ_jk R_im A_ml. (..., 3, 3), (..., 3, 3) -> (..., 3, 3, 3, 3)
inline at::Tensor
drotate_matrix(const at::Tensor & A, const at::Tensor & R)
{
  const at::Tensor M = at::matmul(R, A.transpose(-1, -2)), N = at::matmul(R, A);
  const at::Tensor I = at::eye(3, R.options());
  return I.view({3, 1, 3, 1}) * M.unsqueeze(-2).unsqueeze(-4) +
         I.view({1, 3, 3, 1}) * N.unsqueeze(-2).unsqueeze(-2);
}

/// Derivative with respect to r of a matrix B that r has rotated, where J is the spin_by_rate of r:
/// S_kil B_lj + S_kjl B_il, where S_k is the skew matrix of the spin in column k of J.
/// (..., 3, 3), (..., 3, 3) -> (..., 3, 3, 3)
inline at::Tensor
turned_matrix_derivative(const at::Tensor & B, const at::Tensor & J)
{
  const at::Tensor S = skew(J.transpose(-1, -2)), X = B.unsqueeze(-3);
  const at::Tensor kij = at::matmul(S, X), kji = at::matmul(S, X.transpose(-1, -2));
  return (kij + kji.transpose(-1, -2)).movedim(-3, -1).contiguous();
}
} // namespace neml2::composed
