// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/cholesky.h"

#include "neml2/engine/evaluate.h"
#include "neml2/composed/cholesky.h"

namespace neml2
{
namespace tensors
{
struct NEML2_ONE_A_PROGRAM Cholesky
{
  static constexpr auto name = "cholesky";
  template <class A>
  NEML2_INLINE auto operator()(const A & a) const
  {
    return kernels::cholesky(a);
  }
};
} // namespace tensors

NEML2_BODY R2
cholesky(const R2 & A)
{
  return engine::evaluate_leaf<R2>(tensors::Cholesky(), composed::cholesky, A);
}

NEML2_BODY R2
cholesky(const SR2 & s)
{
  return engine::evaluate_leaf<R2>(tensors::Cholesky(), composed::cholesky_mandel, s);
}

NEML2_BODY SSR4
cholesky(const SSR4 & C)
{
  return engine::evaluate_leaf<SSR4>(tensors::Cholesky(), composed::cholesky, C);
}
} // namespace neml2
