// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/Rot.h"
#include "neml2/composed/kronecker.h"
#include "neml2/core/shape.h"

/// Operations of fourth and higher order tensors, computed by LibTorch calls. Pairs of indices are flattened, so that
/// double contractions are products of n×n matrices; n is 9, or 6 where both pairs are in Mandel components.
namespace neml2::composed
{
/// A fourth order tensor with both pairs of indices flattened. (..., 3, 3, 3, 3) -> (..., 9, 9)
inline at::Tensor
pairs(const at::Tensor & T)
{
  return T.flatten(-2).flatten(-3, -2);
}

/// The fourth order tensor from its two flattened pairs. (..., 9, 9) -> (..., 3, 3, 3, 3)
inline at::Tensor
unpaired(const at::Tensor & M)
{
  return M.unflatten(-1, at::IntArrayRef({3, 3})).unflatten(-3, at::IntArrayRef({3, 3}));
}

/// T_ijkl A_kl. (..., 3, 3, 3, 3), (..., 3, 3) -> (..., 3, 3)
inline at::Tensor
fourth_times_second(const at::Tensor & T, const at::Tensor & A)
{
  return matrix_vector(pairs(T), A.flatten(-2)).unflatten(-1, at::IntArrayRef({3, 3}));
}

/// A_ij T_ijkl. (..., 3, 3), (..., 3, 3, 3, 3) -> (..., 3, 3)
inline at::Tensor
second_times_fourth(const at::Tensor & A, const at::Tensor & T)
{
  return vector_matrix(A.flatten(-2), pairs(T)).unflatten(-1, at::IntArrayRef({3, 3}));
}

/// T_ijmn U_mnkl. (..., 3, 3, 3, 3), (..., 3, 3, 3, 3) -> (..., 3, 3, 3, 3)
inline at::Tensor
fourth_times_fourth(const at::Tensor & T, const at::Tensor & U)
{
  return unpaired(at::matmul(pairs(T), pairs(U)));
}

/// T^-1 with T^-1_ijmn T_mnkl = δ_ik δ_jl; NaN where a pivot is 0. (..., 3, 3, 3, 3) -> (..., 3, 3, 3, 3)
inline at::Tensor
inv_fourth(const at::Tensor & T)
{
  return unpaired(inverse_or_nan(pairs(T)));
}

/// Mandel components of the part with both minor symmetries. (..., 3, 3, 3, 3) -> (..., 6, 6)
inline at::Tensor
sym_fourth(const at::Tensor & T)
{
  return sym_pairs(pairs(T));
}

/// All components C_ijkl, from Mandel components. (..., 6, 6) -> (..., 3, 3, 3, 3)
inline at::Tensor
full_pairs(const at::Tensor & C)
{
  return unpaired(rotate_matrix(C, mandel_basis(C.options()).t()));
}

/// The entries 21, 02, 10 of a flattened pair of indices. (..., 9, ...) -> (..., 3, ...)
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

/// All components of a tensor that is skew in both pairs. (..., 3, 3) -> (..., 3, 3, 3, 3)
inline at::Tensor
full_skew_pairs(const at::Tensor & w)
{
  return unpaired(rotate_matrix(w, skew_basis(w.options()).t()));
}

/// The matrix that rotates a flattened pair of indices. (..., 3, 3) -> (..., 9, 9)
inline at::Tensor
pair_rotation(const at::Tensor & R)
{
  return kronecker_of_pairs(R, R);
}

/// R_im R_jn R_ko R_lp T_mnop. (..., 3, 3, 3, 3), (..., 3, 3) -> (..., 3, 3, 3, 3)
inline at::Tensor
rotate_fourth(const at::Tensor & T, const at::Tensor & R)
{
  return unpaired(rotate_matrix(pairs(T), pair_rotation(R)));
}

/// rotate_fourth by the matrix R of the parameters r. (..., 3, 3, 3, 3), (..., 3) -> (..., 3, 3, 3, 3)
inline at::Tensor
rotate_fourth_by_parameters(const at::Tensor & T, const at::Tensor & r)
{
  return rotate_fourth(T, rotation_matrix(r));
}

/// The rates of change of a flattened pair of indices under a unit angular velocity about each axis. (3, 9, 9)
inline at::Tensor
generators(const TensorOptions & options)
{
  const at::Tensor I = at::eye(3, options), W = skew(I);
  return pairs(kronecker(W, I) + kronecker(I, W));
}

/// The rates of change of Mandel components under a unit angular velocity about each axis. (3, 6, 6)
inline at::Tensor
mandel_generators(const TensorOptions & options)
{
  return sym_pairs(generators(options));
}

/// Derivative with respect to r of a tensor that r has rotated. M is the matrix of the rotated tensor, `generators` are the rates of change
/// of its pairs of indices, and `rate` is the spin_by_rate of r. (..., n, n), (3, n, n), (..., 3, 3) -> (..., n, n, 3)
inline at::Tensor
rotation_derivative(const at::Tensor & M, const at::Tensor & generators, const at::Tensor & rate)
{
  const at::Tensor turned = M.unsqueeze(-3), n = generators.transpose(-1, -2);
  const at::Tensor by_axis = at::matmul(generators, turned) + at::matmul(turned, n);
  return at::matmul(by_axis.flatten(-2).transpose(-1, -2), rate)
      .unflatten(-2, at::IntArrayRef({M.size(-1), M.size(-1)}));
}

/// Derivative with respect to r of rotate_fourth_by_parameters(T, r). (..., 3, 3, 3, 3), (..., 3) -> (..., 3, 3, 3, 3, 3)
inline at::Tensor
drotate_fourth_by_parameters(const at::Tensor & T, const at::Tensor & r)
{
  const at::Tensor turned = rotate_matrix(pairs(T), pair_rotation(rotation_matrix(r)));
  return rotation_derivative(turned, generators(T.options()), spin_by_rate(r))
      .unflatten(-2, at::IntArrayRef({3, 3}))
      .unflatten(-4, at::IntArrayRef({3, 3}));
}

/// Derivative with respect to T of rotate_fourth_by_parameters(T, r). It is R_im R_jn R_ko R_lp, expanded to the common batch shape of both arguments.
/// (..., 3, 3, 3, 3), (..., 3) -> (..., 3, 3, 3, 3, 3, 3, 3, 3)
inline at::Tensor
drotate_self_fourth(const at::Tensor & T, const at::Tensor & r)
{
  const at::Tensor RR = pair_rotation(rotation_matrix(r));
  at::Tensor d = kronecker(RR, RR);
  for (const Size pair : {-1, -3, -5, -7})
    d = d.unflatten(pair, at::IntArrayRef({3, 3}));
  return d.expand(utils::broadcast_sizes(d.sizes(), append_dims(T, 4).sizes()));
}
} // namespace neml2::composed
