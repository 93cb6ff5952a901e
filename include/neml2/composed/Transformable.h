// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/Vec.h"

/// Reflections, computed by LibTorch calls.
namespace neml2::composed
{
/// R_ij - 2 r_i r_j / (r_k r_k) with the matrix R of r. (..., 3) -> (..., 3, 3)
inline at::Tensor
improper_rotation(const at::Tensor & r)
{
  return rotation_matrix(r) - 2 * outer_last(r, r) / dot_last(r, r).unsqueeze(-1);
}

/// δ_ij - 2 n_i n_j. (..., 3) -> (..., 3, 3)
inline at::Tensor
reflection(const at::Tensor & n)
{
  return at::eye(3, n.options()) - outer_last(2 * n, n);
}
} // namespace neml2::composed
