// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/gradients/rules.h"
#include "neml2/tensors/matrix_functions.h"
#include "neml2/tensors/matrix_operations-inl.h"

/// Derivative rules of functions of matrices.
namespace neml2::gradients
{
// The transposed derivative of f at A is the derivative at Aᵀ. Source: Higham (2008), Functions of Matrices, section 3.2.
inline const bool has_matrix_function_rules = []
{
  add_gradient_rule<tensors::Expm, R2, R2>([](const R2 & g, const R2 & A)
                                           { return dexpm(transpose(A), g); });
  add_gradient_rule<tensors::Logm, R2, R2>([](const R2 & g, const R2 & A)
                                           { return dlogm(transpose(A), g); });
  add_gradient_rule<tensors::Sqrtm, R2, R2>([](const R2 & g, const R2 & A)
                                            { return dsqrtm(transpose(A), g); });
  return true;
}();
} // namespace neml2::gradients
