// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/R2.h"
#include "neml2/composed/where.h"
#include "neml2/core/modes.h"
#include "neml2/core/shape.h"

/**
 * Functions of n×n matrices, by LibTorch's operations, for the batch bodies of tensor functions.
 *
 * All are made of products and inverses, so that autograd's derivatives of any order are right and
 * finite, also at equal eigenvalues, where those by eigenvectors are not. Iterations end early where values
 * can be read, which changes nothing but the time. (..., n, n) -> (..., n, n), float64.
 *
 * The upper right block of f([[A, E], [0, A]]) is the derivative of f at A along E.
 * Source: Higham (2008), Functions of Matrices, eq. 3.16.
 */
namespace neml2::composed
{
/// A function of matrices whose leading n×n block is what it is a function of.
using MatrixFunction = c10::function_ref<at::Tensor(const at::Tensor & A, Size n)>;

inline at::Tensor
plus_identity(const at::Tensor & A, double x)
{
  return A + x * at::eye(A.size(-1), A.options().requires_grad(false));
}

/// Norm of the leading n×n block, as a constant. (..., m, m) -> (..., 1, 1)
inline at::Tensor
leading_norm(const at::Tensor & A, Size n)
{
  const at::Tensor block = A.detach().slice(-2, 0, n).slice(-1, 0, n).flatten(-2);
  return at::linalg_vector_norm(block, 2, at::IntArrayRef(-1), /*keepdim=*/true).unsqueeze(-1);
}

/// Whether the condition is known to hold nowhere.
inline bool
holds_nowhere(const at::Tensor & condition)
{
  return has_known_values(condition) && !condition.any().item<bool>();
}

inline at::Tensor
matrix_exp(const at::Tensor & A, Size)
{
  return A.is_meta() ? A + 0 : at::linalg_matrix_exp(A.contiguous()); // which it views
}

/// The principal square root: kernels::sqrtm in a fixed number of steps.
inline at::Tensor
sqrt_by_iteration(const at::Tensor & A, Size n, int steps)
{
  at::Tensor X = A, M = A, error;
  for (int k = 0; k < steps; k++)
  {
    const bool last = error.defined() && holds_nowhere(error > 1e-9); // one for the derivatives
    const at::Tensor i = inverse_or_nan(M);
    const at::Tensor mu2 = at::sqrt(leading_norm(i, n) / leading_norm(M, n)), mu = at::sqrt(mu2);
    X = 0.5 * (mu * X + at::matmul(X, i) / mu);
    M = plus_identity(0.25 * (mu2 * M + i / mu2), 0.5);
    error = leading_norm(plus_identity(M, -1), n);
    if (last)
      break;
  }
  return only_where(error < 1e-7, X);
}
constexpr int sqrt_steps = 16;
inline at::Tensor
matrix_sqrt(const at::Tensor & A, Size n)
{
  return A.is_meta() ? A + 0 : sqrt_by_iteration(A, n, sqrt_steps);
}

/// The principal logarithm: kernels::logm with a fixed number of square roots, taken where they are
/// needed.
inline at::Tensor
matrix_log(const at::Tensor & A, Size n)
{
  if (A.is_meta())
    return A + 0;
  constexpr int roots = 8;
  at::Tensor Y = A, factor = at::ones(leading_norm(A, n).sizes(), A.options().requires_grad(false));
  for (int k = 0; k < roots; k++)
  {
    const at::Tensor is_far = leading_norm(plus_identity(Y, -1), n) > 0.25;
    if (holds_nowhere(is_far))
      break;
    // Roots are closer to I, and converge sooner.
    const at::Tensor root = sqrt_by_iteration(Y, n, std::max(6, sqrt_steps - 3 * k));
    Y = at::where(is_far, root, Y);
    factor = factor * (1 + is_far.to(factor.scalar_type()));
  }
  constexpr double nodes[] = {0.0254460438286207,
                              0.1292344072003028,
                              0.2970774243113014,
                              0.5,
                              0.7029225756886986,
                              0.8707655927996972,
                              0.9745539561713793},
                   weights[] = {0.0647424830844348,
                                0.1398526957446383,
                                0.1909150252525595,
                                0.2089795918367347,
                                0.1909150252525595,
                                0.1398526957446383,
                                0.0647424830844348};
  const at::Tensor E = plus_identity(Y, -1);
  at::Tensor sum = weights[0] * inverse_or_nan(plus_identity(nodes[0] * E, 1));
  for (size_t k = 1; k < 7; k++)
    sum = sum + weights[k] * inverse_or_nan(plus_identity(nodes[k] * E, 1));
  return only_where(leading_norm(E, n) <= 0.25, at::matmul(E, sum) * factor);
}

/// A^p of a number p, or of one p an entry, (...)
inline at::Tensor
matrix_power(const at::Tensor & A, Size n, double p)
{
  return matrix_exp(matrix_log(A, n) * p, n);
}
inline at::Tensor
matrix_power(const at::Tensor & A, Size n, const at::Tensor & p)
{
  return matrix_exp(matrix_log(A, n) * p.to(A.scalar_type()).unsqueeze(-1).unsqueeze(-1), n);
}

/// f(A), computed in float64.
inline at::Tensor
matrix_function(MatrixFunction f, const at::Tensor & A)
{
  return f(A.to(kFloat64), A.size(-1)).to(A.scalar_type());
}

/// The derivative of f at A along E, computed in float64; batch dimensions broadcast.
inline at::Tensor
matrix_function_along(MatrixFunction f, const at::Tensor & A, const at::Tensor & E)
{
  const Size n = A.size(-1);
  TensorShape shape(A.sizes().begin(), A.sizes().end());
  broadcast_into(shape, E.sizes());
  const at::Tensor a = A.to(kFloat64).expand(shape), e = E.to(kFloat64).expand(shape);
  // A large E would ask for a scaling of the exponential that A does not need.
  const at::Tensor norm = leading_norm(e, n), scale = norm + norm.eq(0).to(kFloat64);
  const at::Tensor block =
      at::cat({at::cat({a, e / scale}, -1), at::cat({at::zeros_like(a), a}, -1)}, -2);
  return (f(block, n).slice(-2, 0, n).slice(-1, n, 2 * n) * scale).to(A.scalar_type());
}

/// The derivative ∂f_ij/∂A_kl. (..., n, n) -> (..., n, n, n, n)
inline at::Tensor
matrix_derivative(MatrixFunction f, const at::Tensor & A)
{
  const Size n = A.size(-1);
  const at::Tensor basis =
      at::eye(n * n, A.options().requires_grad(false)).unflatten(-1, at::IntArrayRef({n, n}));
  const at::Tensor kl_ij = matrix_function_along(f, A.unsqueeze(-3), basis).flatten(-2);
  return kl_ij.transpose(-1, -2)
      .unflatten(-1, at::IntArrayRef({n, n}))
      .unflatten(-3, at::IntArrayRef({n, n}));
}
} // namespace neml2::composed
