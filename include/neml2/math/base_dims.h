// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/operators.h"

/// Checks of base dimensions for functions of tensors whose base shape is known at run time only.
namespace neml2::math
{
/// Enables an overload for two tensors of this library.
template <class A, class B>
using if_tensors = std::enable_if_t<is_tensor<A> && is_tensor<B>, int>;

/// @throws NEMLException unless o has n base dimensions.
inline void
check_base_dim(const Operation & op, const Operand & o, Size n)
{
  NEML2_CHECK(Size(o.base.size()) == n,
              op.name,
              ": ",
              o,
              " has ",
              o.base.size(),
              " base dimensions, expected ",
              n,
              ". The second argument of Tensor(t, batch_dim) says which dimensions are batch; "
              "base_reshape changes the others.");
}

/// @throws NEMLException unless o is a batch of square matrices. Returns their size.
inline Size
check_square(const Operation & op, const Operand & o)
{
  check_operand(op, o);
  check_base_dim(op, o, 2);
  NEML2_CHECK(o.base[0] == o.base[1],
              op.name,
              ": ",
              o,
              " is not square: its base shape is ",
              o.base,
              ". Expected as many rows as columns.");
  return o.base[0];
}

/// The result of f() as an R with batch_dim batch dimensions. Errors of LibTorch are translated.
template <class R, class F>
R
batch_of(const Operation & op, Size batch_dim, const F & f)
{
  return R(Trusted(), translate_errors(op.name, f), batch_dim);
}
} // namespace neml2::math
