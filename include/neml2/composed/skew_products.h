// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/R4.h"

/// Products of symmetric tensors (in Mandel components) and skew tensors (as axial vectors), computed by LibTorch calls.
namespace neml2::composed
{
/// W_ik e_kj - e_ik W_kj. (..., 6), (..., 3) -> (..., 6)
inline at::Tensor
skew_and_sym_to_sym(const at::Tensor & e, const at::Tensor & w)
{
  return sym(at::matmul(skew(w), full(e))) * 2;
}

/// The derivative of W_ik e_kj - e_ik W_kj with respect to e. (..., 3) -> (..., 6, 6)
inline at::Tensor
d_skew_and_sym_to_sym_d_sym(const at::Tensor & w)
{
  return at::matmul(w, mandel_generators(w.options()).flatten(1))
      .unflatten(-1, at::IntArrayRef({6, 6}));
}

/// The derivative of W_ik e_kj - e_ik W_kj with respect to w. (..., 6) -> (..., 6, 3)
inline at::Tensor
d_skew_and_sym_to_sym_d_skew(const at::Tensor & e)
{
  const at::Tensor rows = mandel_generators(e.options()).transpose(0, 1).flatten(0, 1);
  return matrix_vector(rows, e).unflatten(-1, at::IntArrayRef({6, 3}));
}

/// a_ik b_kj - b_ik a_kj. (..., 6), (..., 6) -> (..., 3)
inline at::Tensor
multiply_and_make_skew(const at::Tensor & a, const at::Tensor & b)
{
  const at::Tensor p = at::matmul(full(a), full(b));
  return pick_skew((p - p.transpose(-1, -2)).flatten(-2), -1);
}

/// The derivative of a_ik b_kj - b_ik a_kj with respect to a. (..., 6) -> (..., 3, 6)
inline at::Tensor
d_multiply_and_make_skew_d_first(const at::Tensor & b)
{
  return d_skew_and_sym_to_sym_d_skew(b).transpose(-1, -2) * 0.5;
}

/// The derivative of a_ik b_kj - b_ik a_kj with respect to b. (..., 6) -> (..., 3, 6)
inline at::Tensor
d_multiply_and_make_skew_d_second(const at::Tensor & a)
{
  return d_skew_and_sym_to_sym_d_skew(a).transpose(-1, -2) * -0.5;
}
} // namespace neml2::composed
