// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/SR2.h"

/// Coarse ATen calls that the operations of fourth and higher order tensors are made of. Pairs of
/// indices are flattened, so that double contractions are products of matrices: n is 9, or 6 where
/// both pairs are in Mandel components.
namespace neml2::composed
{
/// Both index pairs of a fourth order tensor. (..., 3, 3, 3, 3) -> (..., 9, 9)
inline at::Tensor
pairs(const at::Tensor & T)
{
  return T.flatten(-2).flatten(-3, -2);
}

/// (..., 9, 9) -> (..., 3, 3, 3, 3)
inline at::Tensor
unpaired(const at::Tensor & M)
{
  return M.unflatten(-1, at::IntArrayRef({3, 3})).unflatten(-3, at::IntArrayRef({3, 3}));
}

/// A_ik B_jl. (..., n, n), (..., n, n) -> (..., n, n, n, n)
inline at::Tensor
kronecker(const at::Tensor & A, const at::Tensor & B)
{
  return A.unsqueeze(-2).unsqueeze(-1) * B.unsqueeze(-3).unsqueeze(-2);
}

/// Mandel components of the part with both minor symmetries. (..., 9, 9) -> (..., 6, 6)
inline at::Tensor
sym_pairs(const at::Tensor & M)
{
  return rotate_matrix(M, mandel_basis(M.options()));
}

/// The entries 21, 02, 10 of one of the flattened pairs. (..., 9, ...) -> (..., 3, ...)
inline at::Tensor
pick_skew(const at::Tensor & M, Size dim)
{
  return at::stack({M.select(dim, 7), M.select(dim, 2), M.select(dim, 3)}, dim);
}

/// The nine components of the skew tensor of each unit axial vector. (3, 9)
inline at::Tensor
skew_basis(const TensorOptions & options)
{
  return skew(at::eye(3, options)).flatten(-2);
}

/// The matrices that rotate a flattened pair by a unit angular velocity about each axis. (3, 9, 9)
inline at::Tensor
generators(const TensorOptions & options)
{
  const at::Tensor I = at::eye(3, options), W = skew(I);
  return pairs(kronecker(W, I) + kronecker(I, W));
}

/// The generators of Mandel components: what a unit angular velocity about each axis makes of them. (3, 6, 6)
inline at::Tensor
mandel_generators(const TensorOptions & options)
{
  return sym_pairs(generators(options));
}

/// Derivative by r of a tensor that r has turned, with its matrix M, the generators of its pairs
/// and the spin_by_rate of r. (..., n, n), (3, n, n), (..., 3, 3) -> (..., n, n, 3)
inline at::Tensor
rotation_derivative(const at::Tensor & M, const at::Tensor & generators, const at::Tensor & rate)
{
  const at::Tensor turned = M.unsqueeze(-3), n = generators.transpose(-1, -2);
  const at::Tensor by_axis = at::matmul(generators, turned) + at::matmul(turned, n);
  return at::matmul(by_axis.flatten(-2).transpose(-1, -2), rate)
      .unflatten(-2, at::IntArrayRef({M.size(-1), M.size(-1)}));
}
} // namespace neml2::composed
