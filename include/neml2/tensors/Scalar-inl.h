// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/Scalar.h"

namespace neml2
{
#ifndef NEML2_COMPAT
NEML2_BODY
Scalar::Scalar(const CScalar & value, const TensorOptions & options)
{
  NEML2_CHECK(
      !options.requires_grad(),
      "Scalar(number, options): the options request grad. Call requires_grad_() on the result.");
  *this = core::translate_errors(
      "Scalar(number, options)",
      [&] { return Scalar(at::full({}, value, core::with_dtype(options))); });
}
#endif

NEML2_BODY neml2::Tensor
Scalar::base_unsqueeze_to(Size n) const
{
  return neml2::Tensor(*this).base_unsqueeze_to(n);
}
} // namespace neml2
