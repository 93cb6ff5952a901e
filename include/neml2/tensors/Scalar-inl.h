// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/Scalar.h"

namespace neml2
{
NEML2_BODY at::Tensor
Scalar::of(const CScalar & value, const TensorOptions & options, bool may_be_leaf)
{
  NEML2_CHECK(
      may_be_leaf || !options.requires_grad(),
      "Scalar(number, options): the options request grad. Call requires_grad_() on the result.");
  return core::translate_errors(
      "Scalar(number, options)",
      [&]
      {
        const at::Tensor t = at::full({}, value, core::with_dtype(options).requires_grad(false));
        return options.requires_grad() ? t.set_requires_grad(true) : t;
      });
}

NEML2_BODY neml2::Tensor
Scalar::base_unsqueeze_to(Size n) const
{
  return neml2::Tensor(*this).base_unsqueeze_to(n);
}
} // namespace neml2
