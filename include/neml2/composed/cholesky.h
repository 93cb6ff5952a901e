// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/SR2.h"

/// The Cholesky factor, computed by LibTorch calls.
namespace neml2::composed
{
/// The lower triangular L with L Lᵀ = S, where S is the symmetric part of A; NaN where S is not positive definite.
/// (..., n, n) -> (..., n, n)
inline at::Tensor
cholesky(const at::Tensor & A)
{
  const at::Tensor a = for_lapack(A);
  const auto [L, info] = at::linalg_cholesky_ex(0.5 * (a + a.transpose(-1, -2)));
  return nan_where(info.ne(0), L).to(A.scalar_type());
}

/// The Cholesky factor of a symmetric tensor. (..., 6) -> (..., 3, 3)
inline at::Tensor
cholesky_mandel(const at::Tensor & s)
{
  return composed::cholesky(full(s));
}

/// The gradient with respect to A from the gradient g with respect to the factor; see kernels::cholesky_gradient.
/// (..., n, n), (..., n, n) -> (..., n, n)
inline at::Tensor
cholesky_gradient(const at::Tensor & A, const at::Tensor & g)
{
  const at::Tensor L = composed::cholesky(A), X = inverse_or_nan(L);
  const at::Tensor P = at::matmul(L.transpose(-1, -2), g.tril()).tril();
  const at::Tensor half = P - 0.5 * at::diag_embed(P.diagonal(0, -2, -1));
  const at::Tensor G = at::matmul(at::matmul(X.transpose(-1, -2), half), X);
  return 0.5 * (G + G.transpose(-1, -2));
}
} // namespace neml2::composed
