// SPDX-License-Identifier: MIT
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

/**
 * Functions that several ATen compositions share.
 *
 * Four things make compositions faster: constants are folded into a small matrix, so that one matrix
 * product replaces many slices ("mm"); results are preallocated ("out="); data are transposed so that
 * the batch is the innermost dimension, over which ATen vectorises ("columns": the result then is a
 * transposed view); the batch is cut into pieces whose temporaries stay in the cache ("chunks"). Suggestions for faster
 * compositions are welcome; one composition takes one line.
 */
namespace peers
{
/// Uniformly distributed numbers in [0, 1), float64.
at::Tensor rand(at::IntArrayRef shape);
at::Tensor empty(at::IntArrayRef shape, at::ScalarType dtype = at::kDouble);

/// Linear maps as matrices on flat components, map(x) = x.mm(matrix): 6×6, 6×9, 9×6.
at::Tensor dev_matrix();
at::Tensor full_matrix();
at::Tensor sym_matrix();
/// A matrix B with B B^T = dev_matrix(): the deviator has five dimensions. 6×5
at::Tensor dev_basis();

/// The matrix whose column k selects component index[k] of n, times factor[k].
at::Tensor pick(int64_t n, at::ArrayRef<int64_t> index, at::ArrayRef<double> factor);
/// Cofactors are x y - z w of four sets of components: 6×24 for symmetric tensors, 9×36.
at::Tensor cofactor_matrix_SR2();
at::Tensor cofactor_matrix_R2();
/// x y - z w of four equal parts along a dimension.
at::Tensor cofactors(const at::Tensor & parts, int64_t dim);

/// a b for n×n matrices whose batch dimension is the last, (n, n, N).
at::Tensor column_product(const at::Tensor & a, const at::Tensor & b);

at::Tensor obvious_full(const at::Tensor & s);
at::Tensor obvious_sym(const at::Tensor & A);

/// The results of f for pieces of the inputs, joined: pieces have this many rows, so that memory that f
/// allocates stays in the cache.
at::Tensor chunks(at::IntArrayRef shape,
                  int64_t rows,
                  const std::vector<at::Tensor> & inputs,
                  const std::function<at::Tensor(const std::vector<at::Tensor> &)> & f);
} // namespace peers
