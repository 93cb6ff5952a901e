// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/R2.h"
#include "neml2/math/base_dims.h"

/**
 * Invariants, parts and inverses of square matrices of any size. The functions of R2, SR2 and others are in the headers
 * of the types. Each function consists of LibTorch's operations, and has their derivatives. Functions that return a
 * Scalar need tensors/Scalar.h.
 *
 * All throw NEMLException for an undefined tensor, for a dtype for which they are not defined, and for
 * base dimensions other than those of a square matrix.
 */
namespace neml2
{
namespace math
{
/// Enables an overload for neml2::Tensor itself. The overload is a template, so that its result may be a Scalar.
template <class T>
using if_dynamic = std::enable_if_t<std::is_same_v<T, Tensor>, int>;

/// A^-1 of square matrices; 3×3 matrices are inverted by cofactors.
/// (..., n, n) -> (..., n, n)
inline at::Tensor
inverse_matrix(const at::Tensor & A)
{
  return A.size(-1) == 3 ? composed::inv(A) : composed::inverse_or_nan(A);
}

/// inv of matrices, and of tensors n×n×n×n that map matrices to matrices.
inline Tensor
inverse_of(const Operation & op, const Tensor & A)
{
  check_operand(op, operand(A));
  const TensorShapeRef s = A.base_sizes();
  if (s.size() != 4)
  {
    check_square(op, operand(A));
    return batch_of<Tensor>(op, A.batch_dim(), [&] { return inverse_matrix(A); });
  }
  NEML2_CHECK(s[0] == s[1] && s[0] == s[2] && s[0] == s[3],
              op.name,
              ": the four base dimensions of ",
              operand(A),
              " do not have equal sizes. Expected n×n×n×n.");
  return batch_of<Tensor>(op,
                          A.batch_dim(),
                          [&]
                          {
                            const auto square = utils::add_shapes(
                                A.batch_sizes(), TensorShape{s[0] * s[0], s[0] * s[0]});
                            return inverse_matrix(A.reshape(square)).reshape(A.sizes());
                          });
}
} // namespace math

/// The trace A_kk. (...; n, n) -> (...; ), in the unit of A. Also for integers.
template <class T, math::if_dynamic<T> = 0>
core::dependent_scalar_t<T>
tr(const T & A)
{
  const core::Operation op("tr", core::Accepts::numbers);
  math::check_square(op, core::operand(A));
  return math::batch_of<core::dependent_scalar_t<T>>(
      op,
      A.batch_dim(),
      [&] { return A.diagonal(0, -2, -1).sum(-1, /*keepdim=*/false, A.scalar_type()); });
}

/// Determinant. (...; n, n) -> (...; ), in the nth power of the unit of A. Computed by cofactors for n = 3.
template <class T, math::if_dynamic<T> = 0>
core::dependent_scalar_t<T>
det(const T & A)
{
  const core::Operation op("det");
  const Size n = math::check_square(op, core::operand(A));
  return math::batch_of<core::dependent_scalar_t<T>>(
      op, A.batch_dim(), [&] { return n == 3 ? composed::det(A) : composed::det_of_any(A); });
}
/// Refuses other types: LibTorch's det would use their last two dimensions, whatever these are.
template <class D>
auto
det(const TensorBase<D> &)
{
  static_assert(
      math::false_for<D>,
      "det is defined for R2, SR2, WR2, SSR4, neml2::Tensor and, with tensors/solve.h, square "
      "matrices of your own: convert to one of them");
}

/// Volumetric part A_kk δ_ij / n. (...; n, n) -> (...; n, n), in the unit of A.
template <class T, math::if_dynamic<T> = 0>
Tensor
vol(const T & A)
{
  const core::Operation op("vol");
  math::check_square(op, core::operand(A));
  return math::batch_of<Tensor>(op, A.batch_dim(), [&] { return composed::vol_matrix(A); });
}

/// Deviator A_ij - A_kk δ_ij / n. (...; n, n) -> (...; n, n), in the unit of A.
template <class T, math::if_dynamic<T> = 0>
Tensor
dev(const T & A)
{
  const core::Operation op("dev");
  math::check_square(op, core::operand(A));
  return math::batch_of<Tensor>(
      op, A.batch_dim(), [&] { return core::raw(A) - composed::vol_matrix(A); });
}

/// A^-1 of matrices (...; n, n), or of maps of matrices (...; n, n, n, n) with A^-1_ijmn A_mnkl = δ_ik δ_jl. The result
/// has the shape of A, and its unit is the inverse of the unit of A. It is infinite or NaN where A is singular; a matrix that is
/// singular up to round-off gives large numbers.
template <class T, math::if_dynamic<T> = 0>
Tensor
inv(const T & A)
{
  return math::inverse_of("inv", A);
}
} // namespace neml2
