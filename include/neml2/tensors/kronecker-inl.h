// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/kronecker.h"

#include "neml2/engine/evaluate.h"
#include "neml2/composed/kronecker.h"

namespace neml2
{
namespace tensors
{
struct NEML2_ONE_A_PROGRAM Kron
{
  static constexpr auto name = "kron";
  template <class A, class B>
  NEML2_INLINE auto operator()(const A & x, const B & y) const
  {
    return kernels::kron(x, y);
  }
};

struct NEML2_ONE_A_PROGRAM KronTransposed
{
  static constexpr auto name = "kron_transposed";
  template <class A, class B>
  NEML2_INLINE auto operator()(const A & x, const B & y) const
  {
    return kernels::kron_transposed(x, y);
  }
};

struct NEML2_ONE_A_PROGRAM SymKron
{
  static constexpr auto name = "sym_kron";
  template <class A, class B>
  NEML2_INLINE auto operator()(const A & x, const B & y) const
  {
    return kernels::sym_kron(x, y);
  }
};

/// The 3×3 matrices of a batch, for the code that runs on whole batches.
NEML2_BODY const at::Tensor &
matrix_of(const R2 & A)
{
  return A;
}
NEML2_BODY at::Tensor
matrix_of(const SR2 & s)
{
  return composed::full(s);
}
} // namespace tensors

template <class A, class B, tensors::if_second_order<A, B>>
R4
kron(const A & a, const B & b)
{
  return engine::evaluate_leaf<R4>(
      tensors::Kron(),
      [](const A & x, const B & y)
      { return composed::kronecker(tensors::matrix_of(x), tensors::matrix_of(y)); },
      a,
      b);
}

template <class A, class B, tensors::if_second_order<A, B>>
R4
kron_transposed(const A & a, const B & b)
{
  return engine::evaluate_leaf<R4>(
      tensors::KronTransposed(),
      [](const A & x, const B & y)
      { return composed::kron_transposed(tensors::matrix_of(x), tensors::matrix_of(y)); },
      a,
      b);
}

template <class A, class B, tensors::if_second_order<A, B>>
SSR4
sym_kron(const A & a, const B & b)
{
  return engine::evaluate_leaf<SSR4>(
      tensors::SymKron(),
      [](const A & x, const B & y)
      { return composed::sym_kron(tensors::matrix_of(x), tensors::matrix_of(y)); },
      a,
      b);
}
} // namespace neml2
