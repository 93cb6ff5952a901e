// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/recorded/matrix_functions.h"

namespace neml2::recorded
{
/// f(A). Its partials are the derivative of f along the partials of A.
NEML2_BODY kernels::R2<Number>
record_matrix_function(Op f, Op derivative, const kernels::R2<Number> & A)
{
  std::vector<int32_t> operands;
  for (const Number & a : A.v)
    operands.push_back(a.x.id);
  Recording & recording = Recording::now();
  const std::vector<int32_t> values = recording.record_system(f, 3, operands);
  for (const Number & a : A.v)
    operands.push_back(a.d[0].id);
  const std::vector<int32_t> partials = recording.record_system(derivative, 3, operands);
  kernels::R2<Number> r{kernels::Unset()};
  for (int i = 0; i < 9; i++)
  {
    r[i].x = Symbol::of(values[size_t(i)]);
    r[i].d[0] = Symbol::of(partials[size_t(i)]);
  }
  return r;
}

NEML2_BODY kernels::R2<Number>
expm(const kernels::R2<Number> & A)
{
  return record_matrix_function(Op::expm, Op::dexpm, A);
}
NEML2_BODY kernels::R2<Number>
logm(const kernels::R2<Number> & A)
{
  return record_matrix_function(Op::logm, Op::dlogm, A);
}
NEML2_BODY kernels::R2<Number>
sqrtm(const kernels::R2<Number> & A)
{
  return record_matrix_function(Op::sqrtm, Op::dsqrtm, A);
}
} // namespace neml2::recorded
