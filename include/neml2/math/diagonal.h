// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/groups.h"

/// Diagonal matrices made from vectors, in two dimensions of the batch or of the base.
namespace neml2
{
namespace math
{
/// x, whose dimension d becomes the diagonal of the new dimensions d1 and d2 of the result.
inline at::Tensor
embed_diagonal(const at::Tensor & x, Size d, Size offset, Size d1, Size d2)
{
  return x.movedim(d, -1).diag_embed(offset, d1, d2);
}

/// Checks that the rows and columns of a diagonal are not the same dimension.
inline void
check_two(const Operation & op, const Operand & o, Size d1, Size d2, bool same)
{
  NEML2_CHECK(!same,
              op.name,
              ": the diagonal needs two dimensions, and ",
              d1,
              " and ",
              d2,
              " are the same dimension of the result of ",
              o,
              ".");
}
} // namespace math

/// Matrices with the entries along the last batch dimension on a diagonal, and zeros elsewhere: (..., n; base) ->
/// (..., m, m; base) with m = n + |offset|, in the unit and dtype of a. Batch dimensions d1 and d2 of the result are
/// the rows and columns; the diagonal is `offset` columns to the right of the main diagonal.
/// @throws NEMLException also if a has no batch dimension, and for d1 or d2 out of range, or equal.
template <class T, core::if_tensor<T> = 0>
T
batch_diag_embed(const T & a, Size offset = 0, Size d1 = -2, Size d2 = -1)
{
  const core::Operation op("batch_diag_embed", core::Accepts::any);
  const auto o = core::operand(a);
  math::batch_dimension(op, o, -1); // checks that there is a dimension
  const Size p1 = math::new_batch_dimension(op, o, d1), p2 = math::new_batch_dimension(op, o, d2);
  math::check_two(op, o, d1, d2, p1 == p2);
  return math::along_batch(op,
                           a,
                           -1,
                           1,
                           [&](const at::Tensor & x, Size d)
                           { return math::embed_diagonal(x, d, offset, p1, p2); });
}

/// Matrices with the entries along the last base dimension on a diagonal, and zeros elsewhere: (...; base, n) ->
/// (...; base, m, m) with m = n + |offset|, in the unit and dtype of a. Base dimensions d1 and d2 of the result are the
/// rows and columns; the diagonal is `offset` columns to the right of the main diagonal.
/// @throws NEMLException also if a has no base dimension, and for d1 or d2 out of range, or equal.
template <class T, core::if_tensor<T> = 0>
Tensor
base_diag_embed(const T & a, Size offset = 0, Size d1 = -2, Size d2 = -1)
{
  const core::Operation op("base_diag_embed", core::Accepts::any);
  const auto o = core::operand(a);
  math::base_dimension(op, o, -1); // checks that there is a dimension
  const Size p1 = math::new_base_dimension(op, o, d1), p2 = math::new_base_dimension(op, o, d2);
  math::check_two(op, o, d1, d2, p1 == p2);
  return math::along_base(op,
                          a,
                          -1,
                          [&](const at::Tensor & x, Size d)
                          { return math::embed_diagonal(x, d, offset, p1, p2); });
}

/// A diagonal matrix with the entries along batch dimension d, in dimensions d and d + 1 of the result:
/// (..., n, ...; base) -> (..., n, n, ...; base)
/// @throws NEMLException also if a has no batch dimension, and for d out of range.
template <class T, core::if_tensor<T> = 0>
T
batch_diagonalize(const T & a, Size d = -1)
{
  return math::along_batch(core::Operation("batch_diagonalize", core::Accepts::any),
                           a,
                           d,
                           1,
                           [](const at::Tensor & x, Size p)
                           { return math::embed_diagonal(x, p, 0, p, p + 1); });
}

/// A diagonal matrix with the entries along base dimension d, in dimensions d and d + 1 of the result:
/// (...; n) -> (...; n, n)
/// @throws NEMLException also if a has no base dimension, and for d out of range.
template <class T, core::if_tensor<T> = 0>
Tensor
base_diagonalize(const T & a, Size d = -1)
{
  return math::along_base(core::Operation("base_diagonalize", core::Accepts::any),
                          a,
                          d,
                          [](const at::Tensor & x, Size p)
                          { return math::embed_diagonal(x, p, 0, p, p + 1); });
}
} // namespace neml2
