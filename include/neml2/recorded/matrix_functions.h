// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/kernels/matrix_functions.h"
#include "neml2/recorded/Symbol.h"

/// Exponential, logarithm and root of an R2 in recordings: one operation each, whose steps no recording could count.
namespace neml2
{
namespace recorded
{
/// The function f of A, and its derivative along the partials of A.
inline kernels::R2<Number>
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
} // namespace recorded

namespace kernels
{
inline R2<recorded::Number>
expm(const R2<recorded::Number> & A)
{
  return recorded::record_matrix_function(recorded::Op::expm, recorded::Op::dexpm, A);
}
inline R2<recorded::Number>
logm(const R2<recorded::Number> & A)
{
  return recorded::record_matrix_function(recorded::Op::logm, recorded::Op::dlogm, A);
}
inline R2<recorded::Number>
sqrtm(const R2<recorded::Number> & A)
{
  return recorded::record_matrix_function(recorded::Op::sqrtm, recorded::Op::dsqrtm, A);
}
} // namespace kernels
} // namespace neml2
