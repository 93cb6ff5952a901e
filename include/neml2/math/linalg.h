// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/R2.h"
#include "neml2/math/products.h"

#include <tuple>

/**
 * Linear algebra on batches of matrices and vectors, by LibTorch. Batch shapes broadcast. The number of base
 * dimensions, never a size, decides whether a tensor is a vector or a matrix.
 *
 * linalg::cross and linalg::outer of Vec are in tensors/Vec.h, linalg::eigh, ieigh and dsptrf in tensors/spectral.h,
 * products in products.h, determinants in invariants.h.
 */
namespace neml2
{
namespace math
{
/// @throws NEMLException unless base dimension `rows` of the right-hand side has the size n.
inline void
check_rows(const Operation & op, const Operand & right_side, size_t rows, Size n)
{
  NEML2_CHECK(right_side.base[rows] == n,
              op.name,
              ": the right side ",
              right_side,
              " has ",
              right_side.base[rows],
              rows == 0 ? " rows" : " columns",
              ", but the matrix has ",
              n,
              ".");
}

/// The index of the first batch entry for which a condition holds.
inline TensorShape
first_index(const at::Tensor & condition)
{
  Size place = condition.flatten().to(kInt32).argmax().item<int64_t>();
  TensorShape index(size_t(condition.dim()));
  for (size_t d = index.size(); d-- > 0; place /= condition.size(Size(d)))
    index[d] = place % condition.size(Size(d));
  return index;
}

/// @throws NEMLException if some of the matrices are singular.
inline void
check_regular(const Operation & op, const Operand & matrices, const at::Tensor & singular)
{
  if (!has_known_values(singular))
    return;
  const Size failed = singular.sum().item<int64_t>();
  NEML2_CHECK_AS(SingularException,
                 failed == 0,
                 op.name,
                 ": ",
                 failed,
                 " of the ",
                 singular.numel(),
                 " matrices in ",
                 matrices,
                 " are singular, the first at the index ",
                 TensorShapeRef(first_index(singular)),
                 " of the batch.");
}

/// The pivots in LAPACK's form. If their values cannot be checked, they are clamped to the valid range, because LAPACK reads from any place
/// to which they point.
/// @throws NEMLException unless they may be pivots of LU.
inline at::Tensor
checked_pivots(const Operation & op, const Operand & pivots, const Operand & LU)
{
  check_operand(Operation(op.name, Accepts::any), pivots);
  check_base_dim(op, pivots, 1);
  const at::Tensor & p = *pivots.tensor;
  bool ok = p.scalar_type() == kInt32 && pivots.base[0] == LU.base[0] &&
            p.device() == LU.tensor->device();
  const bool known = has_known_values(p);
  if (ok && known)
    ok = p.lt(1).bitwise_or(p.gt(pivots.base[0])).sum().item<int64_t>() == 0;
  NEML2_CHECK(ok,
              op.name,
              ": the pivots ",
              pivots,
              " of dtype ",
              dtype_name(p.scalar_type()),
              " on ",
              p.device(),
              " do not belong to ",
              LU,
              ". Expected the pivots that lu_factor returned: int32, on the same device, one for "
              "each row, in [1, "
              "rows].");
  return known || p.is_meta() ? p : p.clamp(1, pivots.base[0]);
}
} // namespace math

namespace linalg
{
/// √(v_i v_i), or |v| of a tensor without base dimensions. (...; n) or (...; ) -> (...; ), in the
/// unit of v. Its gradient at v = 0 is 0. Needs tensors/Scalar.h.
/// @throws NEMLException also for more than one base dimension.
template <class T, core::if_tensor<T> = 0>
core::dependent_scalar_t<T>
vector_norm(const T & v)
{
  const core::Operation op("linalg::vector_norm");
  core::check_operand(op, core::operand(v));
  NEML2_CHECK(v.base_dim() <= 1,
              op.name,
              ": ",
              core::operand(v),
              " has ",
              v.base_dim(),
              " base dimensions, expected one or none. Use norm for the norm of all components.");
  return math::batch_of<core::dependent_scalar_t<T>>(
      op, v.batch_dim(), [&] { return composed::frobenius(v, v.base_dim(), 0); });
}

/// a_k b_k. (...; k), (...; k) -> (...; ), unit of a × unit of b. Also for integers. Needs tensors/Scalar.h.
template <class A, class B, math::if_tensors<A, B> = 0>
core::dependent_scalar_t<A>
vecdot(const A & a, const B & b)
{
  return math::vector_vector<core::dependent_scalar_t<A>>(
      "linalg::vecdot", core::operand(a), core::operand(b));
}

/// A^-1 of matrices, see neml2::inv(A). (...; n, n) -> (...; n, n)
/// @throws NEMLException also if A does not have two base dimensions.
inline Tensor
inv(const Tensor & A)
{
  const core::Operation op("linalg::inv");
  math::check_square(op, core::operand(A));
  return math::inverse_of(op, A);
}

/// The sign of det A, and log |det A|. Neither overflows nor underflows where the determinant does; they are (0, -inf) where A is singular.
/// (...; n, n) -> (...; ), (...; ). The derivative of log |det A| with respect to A is A^-T. Needs tensors/Scalar.h. In a formula write
/// log(abs(det(A))).
/// @throws NEMLException also if A does not have two base dimensions.
template <class T, core::if_tensor<T> = 0>
std::tuple<core::dependent_scalar_t<T>, core::dependent_scalar_t<T>>
slogdet(const T & A)
{
  using S = core::dependent_scalar_t<T>;
  const core::Operation op("linalg::slogdet");
  math::check_square(op, core::operand(A));
  const auto [sign, logarithm] = core::translate_errors(
      op.name, [&] { return at::linalg_slogdet(composed::for_lapack(A).contiguous()); });
  return {S(core::Trusted(), sign.to(A.scalar_type()), A.batch_dim()),
          S(core::Trusted(), logarithm.to(A.scalar_type()), A.batch_dim())};
}

/// The solution X of A X = B, where B is a batch of vectors or of matrices. (...; n, n), (...; n) -> (...; n);
/// (...; n, n), (...; n, k) -> (...; n, k). X has the unit of B over the unit of A, and is NaN where A is singular; a
/// matrix that is singular up to round-off gives large numbers.
/// @throws NEMLException, with the number of singular matrices, also if check_errors is true and a matrix is singular.
/// This check synchronises with a GPU.
inline Tensor
solve(const Tensor & A, const Tensor & B, bool check_errors = false)
{
  const core::Operation op("linalg::solve");
  const core::Operand o[] = {core::operand(A), core::operand(B)};
  core::check_operands(op, o);
  const Size n = math::check_square(op, o[0]);
  const Size columns = B.base_dim();
  NEML2_CHECK(columns == 1 || columns == 2,
              op.name,
              ": the right side ",
              o[1],
              " has ",
              columns,
              " base dimensions. Expected one (a vector) or two (a matrix).");
  math::check_rows(op, o[1], 0, n);
  const Size batch_dim = Size(core::broadcast_batch(op, o).size());
  const auto [X, singular] = core::translate_errors(
      op.name,
      [&] { return composed::solve_or_nan(A, columns == 1 ? B.unsqueeze(-1) : at::Tensor(B)); });
  if (check_errors)
    math::check_regular(op, o[0], singular);
  return {core::Trusted(), columns == 1 ? X.squeeze(-1) : X, batch_dim};
}

/// A = P L U by Gaussian elimination with partial pivoting. With pivot = false, which only a GPU supports, the pivoting is omitted. Returns
/// L (whose diagonal of ones is not stored) and U in one tensor, and the row interchanges, counted from 1. (...; m, n) -> (...; m, n),
/// (...; min(m, n)) int32
/// @throws NEMLException also if a matrix is singular.
inline std::tuple<Tensor, Tensor>
lu_factor(const Tensor & A, bool pivot = true)
{
  const core::Operation op("linalg::lu_factor");
  core::check_operand(op, core::operand(A));
  math::check_base_dim(op, core::operand(A), 2);
  const auto [LU, pivots, info] = core::translate_errors(
      op.name, [&] { return at::linalg_lu_factor_ex(composed::for_lapack(A), pivot); });
  math::check_regular(op, core::operand(A), info.ne(0));
  return {Tensor(core::Trusted(), LU.to(A.scalar_type()), A.batch_dim()),
          Tensor(core::Trusted(), pivots, A.batch_dim())};
}

/// The solution X of A X = B (left = true) or of X A = B (left = false), from the result of lu_factor(A). A^T replaces
/// A if adjoint is true. (...; n, n), (...; n), (...; n, k) -> (...; n, k); for left = false, B and X are (...; k, n).
/// @throws NEMLException also if B does not have two base dimensions, and if the pivots do not fit LU. The check of the pivots synchronises
/// with a GPU.
inline Tensor
lu_solve(const Tensor & LU,
         const Tensor & pivots,
         const Tensor & B,
         bool left = true,
         bool adjoint = false)
{
  const core::Operation op("linalg::lu_solve");
  const core::Operand o[] = {core::operand(LU), core::operand(B), core::operand(pivots)};
  core::check_operands(op, ArrayRef<core::Operand>(o, 2));
  const Size n = math::check_square(op, o[0]);
  math::check_base_dim(op, o[1], 2);
  math::check_rows(op, o[1], left ? 0 : 1, n);
  const at::Tensor interchanges = math::checked_pivots(op, o[2], o[0]);
  const Size batch_dim = Size(core::broadcast_batch(op, o).size());
  const core::Operand factors[] = {o[0], o[2]};
  const TensorShape batch = core::broadcast_batch(op, factors);
  return math::batch_of<Tensor>(
      op,
      batch_dim,
      [&]
      {
        const at::Tensor matrices = composed::for_lapack(LU).expand(
                             utils::add_shapes(batch, TensorShape{n, n})),
                         rows = interchanges.expand(utils::add_shapes(batch, n));
        return at::linalg_lu_solve(
                   matrices, rows.contiguous(), composed::for_lapack(B), left, adjoint)
            .to(B.scalar_type());
      });
}
} // namespace linalg
} // namespace neml2
