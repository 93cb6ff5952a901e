// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/SR2.h"
#include "neml2/composed/matrix_functions.h"

/// Kinematics of finite deformation, in LibTorch calls.
namespace neml2::composed
{
/// The rotation R of F = R U: Newton's iteration, computed in float64. (..., 3, 3) -> (..., 3, 3)
inline at::Tensor
polar_rotation(const at::Tensor & F)
{
  constexpr int steps = 10;
  at::Tensor X = F.to(kFloat64);
  for (int k = 0; k < steps; k++)
  {
    const at::Tensor Y = inv(X).transpose(-1, -2);
    const at::Tensor scale = at::sqrt(leading_norm(Y, 3) / leading_norm(X, 3));
    X = 0.5 * (X * scale + Y / scale);
  }
  return X.to(F.scalar_type());
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

/// sym(H)_ij + H_ki H_kj / 2, H = F - I. (..., 3, 3) -> (..., 6)
inline at::Tensor
green_lagrange(const at::Tensor & F)
{
  const at::Tensor H = plus_identity(F, -1);
  return sym(H) + 0.5 * right_cauchy_green(H);
}

/// log(F_ki F_kj) / 2, computed in float64. (..., 3, 3) -> (..., 6)
inline at::Tensor
hencky_strain(const at::Tensor & F)
{
  const at::Tensor x = F.to(kFloat64), C = at::matmul(x.transpose(-1, -2), x);
  return (0.5 * sym(matrix_function(matrix_log, C))).to(F.scalar_type());
}
} // namespace neml2::composed
