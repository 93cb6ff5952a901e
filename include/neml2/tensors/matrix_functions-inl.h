// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/tensors/matrix_operations-inl.h"

#include "neml2/tensors/matrix_functions.h"

namespace neml2
{
NEML2_BODY R2
expm(const R2 & A)
{
  return tensors::matrix_leaf(tensors::Expm(), composed::matrix_exp, A);
}

NEML2_BODY R2
dexpm(const R2 & A, const R2 & E)
{
  return tensors::matrix_leaf(tensors::Dexpm(), composed::matrix_exp, A, E);
}

NEML2_BODY R4
dexpm(const R2 & A)
{
  return tensors::matrix_derivative_leaf(tensors::Dexpm(), composed::matrix_exp, A);
}

NEML2_BODY R2
logm(const R2 & A)
{
  return tensors::matrix_leaf(tensors::Logm(), composed::matrix_log, A);
}

NEML2_BODY R2
dlogm(const R2 & A, const R2 & E)
{
  return tensors::matrix_leaf(tensors::Dlogm(), composed::matrix_log, A, E);
}

NEML2_BODY R4
dlogm(const R2 & A)
{
  return tensors::matrix_derivative_leaf(tensors::Dlogm(), composed::matrix_log, A);
}

NEML2_BODY R2
sqrtm(const R2 & A)
{
  return tensors::matrix_leaf(tensors::Sqrtm(), composed::matrix_sqrt, A);
}

NEML2_BODY R2
dsqrtm(const R2 & A, const R2 & E)
{
  return tensors::matrix_leaf(tensors::Dsqrtm(), composed::matrix_sqrt, A, E);
}

NEML2_BODY R4
dsqrtm(const R2 & A)
{
  return tensors::matrix_derivative_leaf(tensors::Dsqrtm(), composed::matrix_sqrt, A);
}
} // namespace neml2
