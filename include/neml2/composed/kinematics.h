// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/SR2.h"
#include "neml2/composed/matrix_functions.h"
#include "neml2/composed/spectral.h"

/// Kinematics of finite deformation, computed by LibTorch calls.
namespace neml2::composed
{
/// A rotation that is closer than R to the rotation of F, as in kernels::refined_rotation. (..., 3, 3), (..., 3, 3) -> (..., 3, 3)
inline at::Tensor
refined_rotation(const at::Tensor & F, const at::Tensor & R)
{
  const at::Tensor D = at::matmul(R.transpose(-1, -2), F), U = 0.5 * (D + D.transpose(-1, -2));
  const auto of = [&](Size i, Size j)
  { return D.select(-2, i).select(-1, j) - D.select(-2, j).select(-1, i); };
  const at::Tensor axial[] = {of(2, 1), of(0, 2), of(1, 0)};
  const at::Tensor w = matrix_vector(inv(3 * vol_matrix(U) - U), at::stack(axial, -1)), W = skew(w);
  const at::Tensor over = 1 + 0.25 * (w * w).sum(-1, /*keepdim=*/true).unsqueeze(-1);
  return R + at::matmul(R, W + 0.5 * at::matmul(W, W)) / over;
}

/// The rotation R of F = R U by Newton's iteration, computed in float64. (..., 3, 3) -> (..., 3, 3)
inline at::Tensor
polar_rotation(const at::Tensor & F)
{
  constexpr int steps = 11;
  const at::Tensor f = F.to(kFloat64), a = f.detach().flatten(-2);
  const at::Tensor A = f / a.maximum(-a).amax(-1, /*keepdim=*/true).unsqueeze(-1);
  at::Tensor X = A;
  for (int k = 0; k < steps; k++)
  {
    const at::Tensor Y = inv(X).transpose(-1, -2);
    const at::Tensor scale = at::sqrt(leading_norm(Y, 3) / leading_norm(X, 3));
    X = 0.5 * (X * scale + Y / scale);
  }
  return refined_rotation(A, refined_rotation(A, X)).to(F.scalar_type());
}

/// The closest rotation of determinant 1, computed in float64. The values are computed as in kernels::nearest_rotation and then refined
/// so often that derivatives up to the seventh are right. (..., 3, 3) -> (..., 3, 3)
inline at::Tensor
nearest_rotation(const at::Tensor & A)
{
  const at::Tensor a = A.to(kFloat64), constant = a.detach(), R = polar_rotation(constant);
  if (a.is_meta())
    return A + 0;
  // Where A has no rotation, R is NaN. LibTorch's eigh would throw for the whole batch.
  const at::Tensor D = at::matmul(R.transpose(-1, -2), constant).nan_to_num(0.0, 0.0, 0.0),
                   v = eigh_by_parts(D + D.transpose(-1, -2)).second.slice(-1, 0, 1);
  const at::Tensor reflected = 2 * composed::det(R).lt(0).to(kFloat64).unsqueeze(-1).unsqueeze(-1);
  at::Tensor r = R - at::matmul(R, at::matmul(v, v.transpose(-1, -2))) * reflected;
  const at::Tensor size = constant.flatten(-2).abs().amax(-1, /*keepdim=*/true).unsqueeze(-1);
  for (int k = 0; k < 3; k++)
    r = refined_rotation(a / size, r);
  return r.to(A.scalar_type());
}

/// F_ki F_kj. (..., 3, 3) -> (..., 6)
inline at::Tensor
right_cauchy_green(const at::Tensor & F)
{
  return sym(at::matmul(F.transpose(-1, -2), F));
}

/// F_ik F_jk. (..., 3, 3) -> (..., 6)
inline at::Tensor
left_cauchy_green(const at::Tensor & F)
{
  return right_cauchy_green(F.transpose(-1, -2));
}

/// sym(H)_ij + H_ki H_kj / 2 with H = F - I. (..., 3, 3) -> (..., 6)
inline at::Tensor
green_lagrange(const at::Tensor & F)
{
  const at::Tensor H = plus_identity(F, -1);
  return sym(H) + 0.5 * right_cauchy_green(H);
}

/// log(F_ki F_kj) / 2 = log U, computed in float64. (..., 3, 3) -> (..., 6)
inline at::Tensor
hencky_strain(const at::Tensor & F)
{
  const at::Tensor x = F.to(kFloat64), U = sym(at::matmul(polar_rotation(x).transpose(-1, -2), x));
  return sym(matrix_function(matrix_log, full(U))).to(F.scalar_type());
}
} // namespace neml2::composed
