// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/R2.h"
#include "neml2/composed/where.h"
#include "neml2/core/modes.h"
#include "neml2/core/shape.h"

/**
 * Functions of n×n matrices, computed by LibTorch calls.
 *
 * All functions consist of products and inverses, so that autograd's derivatives of any order are right and
 * finite, also at equal eigenvalues, where derivatives computed from eigenvectors are not. If values can be read, iterations end
 * early; this changes only the time. (..., n, n) -> (..., n, n), float64.
 *
 * The upper right block of f([[A, E], [0, A]]) is the derivative of f at A along E.
 * Source: Higham (2008), Functions of Matrices, eq. 3.16.
 */
namespace neml2::composed
{
/// A function of matrices A; scaling and convergence depend only on the leading n×n block of A.
using MatrixFunction = c10::function_ref<at::Tensor(const at::Tensor & A, Size n)>;

inline at::Tensor
plus_identity(const at::Tensor & A, double x)
{
  return A + x * at::eye(A.size(-1), A.options().requires_grad(false));
}

/// √(Σ A_ij A_ij) of the leading n×n block, which autograd treats as a constant. (..., m, m) -> (..., 1, 1)
inline at::Tensor
leading_norm(const at::Tensor & A, Size n)
{
  const at::Tensor block = A.detach().slice(-2, 0, n).slice(-1, 0, n).flatten(-2);
  return at::linalg_vector_norm(block, 2, at::IntArrayRef(-1), /*keepdim=*/true).unsqueeze(-1);
}

/// Whether the condition is known to be false everywhere.
inline bool
holds_nowhere(const at::Tensor & condition)
{
  return has_known_values(condition) && !condition.any().item<bool>();
}

/// The largest column sum Σ_i |A_ij| of the leading n×n block, which autograd treats as a constant. (..., m, m) -> (..., 1, 1)
inline at::Tensor
leading_column(const at::Tensor & A, Size n)
{
  const at::Tensor block = A.detach().slice(-2, 0, n).slice(-1, 0, n);
  return block.abs().sum(-2, /*keepdim=*/true).amax(-1, /*keepdim=*/true);
}

/// The number of superfluous halvings of B, as in kernels::halved_too_often. (..., n, n) -> (..., 1, 1)
inline at::Tensor
halved_too_often(const at::Tensor & B, const at::Tensor & B6, const at::Tensor & B8)
{
  const Size n = B.size(-1);
  const at::Tensor size =
      leading_column(B6, n).pow(1.0 / 6).maximum(leading_column(B8, n).pow(1.0 / 8));
  const at::Tensor spared = (size / 0.783).clamp_min(1e-9).log2().neg().floor().clamp_min(0);
  const at::Tensor scaled = B.abs() * spared.exp2();
  at::Tensor column = at::ones(scaled.slice(-2, 0, 1).sizes(), scaled.options());
  for (int k = 0; k < 15; k++)
    column = at::matmul(column, scaled);
  const at::Tensor growth = column.amax(-1, /*keepdim=*/true) / leading_column(scaled, n);
  const at::Tensor needed =
      ((2 * growth).log2() / 14).ceil().clamp_min(0); // (7!)² / (14! 15!) / rounding error
  return (spared - needed.nan_to_num(0.0)).clamp_min(0);
}

/// The exponential as in kernels::expm, scaled by the leading block. If values cannot be read, it is LibTorch's exponential.
inline at::Tensor
matrix_exp(const at::Tensor & A, Size n)
{
  if (A.is_meta())
    return A + 0;
  if (!has_known_values(A) || A.numel() == 0)
    return at::linalg_matrix_exp(A.contiguous()); // linalg_matrix_exp calls view on A
  const at::Tensor norm = leading_column(A, n);
  at::Tensor squarings = (norm / 0.783).log2().floor().add(1).clamp(0, 1000).nan_to_num(0.0);
  if ((squarings > 3).any().item<bool>())
  {
    const at::Tensor B = A.detach().slice(-2, 0, n).slice(-1, 0, n) * (-squarings).exp2(),
                     B2 = at::matmul(B, B), B4 = at::matmul(B2, B2);
    const at::Tensor spared =
        halved_too_often(B, at::matmul(B2, B4), at::matmul(B4, B4)).minimum(squarings);
    squarings = (squarings - spared * (squarings > 3))
                    .nan_to_num(0.0); // NaN would end the loop below for all
  }
  const at::Tensor B = A * (-squarings).exp2(), B2 = at::matmul(B, B), B4 = at::matmul(B2, B2),
                   B6 = at::matmul(B2, B4);
  const at::Tensor odd = at::matmul(B, plus_identity(B6 + 1512 * B4 + 277200 * B2, 8648640));
  const at::Tensor even = plus_identity(56 * B6 + 25200 * B4 + 1995840 * B2, 17297280);
  at::Tensor X = at::matmul(inverse_or_nan(even - odd), even + odd);
  const double most = squarings.max().item<double>();
  for (double k = 0; k < most; k++)
    X = at::where(squarings > k, at::matmul(X, X), X);
  return X;
}

/// The principal square root by the iteration of kernels::sqrtm_of_ill_conditioned, in at most `steps` steps.
inline at::Tensor
sqrt_by_iteration(const at::Tensor & A, Size n, int steps)
{
  at::Tensor X = A, Y = plus_identity(at::zeros_like(A), 1), change;
  for (int k = 0; k < steps; k++)
  {
    // The derivatives need one step after convergence, and at least four steps in all: at the identity n steps give the derivatives up to
    // order 2^n - 1.
    const bool last = k >= 3 && holds_nowhere(change > 1e-9);
    const at::Tensor x = inverse_or_nan(X), y = inverse_or_nan(Y);
    const at::Tensor ratio =
        leading_norm(x, n) * leading_norm(y, n) / (leading_norm(X, n) * leading_norm(Y, n));
    at::Tensor mu = ratio.sqrt().sqrt();
    if (change.defined())
      mu = mu.masked_fill((change > 1e-2).bitwise_not(), 1);
    const at::Tensor next = 0.5 * (mu * X + y / mu);
    Y = 0.5 * (mu * Y + x / mu);
    change = leading_norm(next - X, n) / leading_norm(next, n);
    X = next;
    if (last)
      break;
  }
  return only_where(change < 1e-7, X);
}
constexpr int sqrt_steps = 16;
/// A divided by the largest |A_ij| of its leading block, and this divisor, which autograd treats as a constant. The divisor is 1 where the
/// largest |A_ij| is 0 or not finite.
inline std::pair<at::Tensor, at::Tensor>
of_norm_one(const at::Tensor & A, Size n)
{
  const at::Tensor block = A.detach().slice(-2, 0, n).slice(-1, 0, n).flatten(-2);
  const at::Tensor scale = scale_of(block).unsqueeze(-1);
  return {A / scale, scale};
}
inline at::Tensor
matrix_sqrt(const at::Tensor & A, Size n)
{
  if (A.is_meta())
    return A + 0;
  const auto [B, scale] = of_norm_one(A, n);
  return sqrt_by_iteration(B, n, sqrt_steps + 4) * scale.sqrt();
}

/// The principal logarithm as in kernels::logm, with square roots taken where they are needed.
inline at::Tensor
matrix_log(const at::Tensor & A, Size n)
{
  if (A.is_meta())
    return A + 0;
  const auto [B, scale] = of_norm_one(A, n);
  const int roots = has_known_values(A) ? 64 : 12;
  at::Tensor Y = B, factor = at::ones(leading_norm(A, n).sizes(), A.options().requires_grad(false));
  for (int k = 0; k < roots; k++)
  {
    const at::Tensor is_far = leading_norm(plus_identity(Y, -1), n) > 0.25;
    if (holds_nowhere(is_far))
      break;
    // Later roots are closer to I, and need fewer steps.
    const at::Tensor root = sqrt_by_iteration(Y, n, std::max(8, sqrt_steps + 4 - 3 * k));
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
  const at::Tensor L = only_where(leading_norm(E, n) <= 0.25, at::matmul(E, sum) * factor);
  return L + scale.log() * at::eye(A.size(-1), A.options().requires_grad(false));
}

/// A^p, with one number p for all matrices, or with a tensor p of shape (...) that has one number per matrix.
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
  // E is scaled to the size of A; with another size, digits of E or of A would be lost.
  const at::Tensor norm = leading_norm(e, n) / of_norm_one(a, n).second,
                   scale = norm + norm.eq(0).to(kFloat64);
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
