// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/math/operators.h"

/// Functions along one dimension, which is counted within the batch or within the base.
namespace neml2::math
{
[[noreturn]] NEML2_COLD inline void
fail_without_dimension(const Operation & op,
                       const Operand & o,
                       const char * group,
                       const char * other)
{
  fail_as<IndexException>(op.name,
                          ": ",
                          o,
                          " has no ",
                          group,
                          " dimension. Add one (",
                          group,
                          "_unsqueeze), or use the function of this name for ",
                          other,
                          " dimensions.");
}

/// The position of batch dimension d among all dimensions; a negative d counts from the end.
inline Size
batch_dimension(const Operation & op, const Operand & o, Size d)
{
  check_operand(op, o);
  if (o.batch_dim == 0)
    fail_without_dimension(op, o, "batch", "base");
  return position(op.name, o, d, 0, o.batch_dim);
}

/// The position of base dimension d among all dimensions; a negative d counts from the end.
inline Size
base_dimension(const Operation & op, const Operand & o, Size d)
{
  check_operand(op, o);
  if (o.base.empty())
    fail_without_dimension(op, o, "base", "batch");
  return position(op.name, o, d, o.batch_dim, o.batch_dim + Size(o.base.size()));
}

/// The position of dimension d in a batch that has one dimension more.
inline Size
new_batch_dimension(const Operation & op, const Operand & o, Size d)
{
  check_operand(op, o);
  return position(op.name, o, d, 0, o.batch_dim + 1);
}

/// The position of dimension d in a base that has one dimension more.
inline Size
new_base_dimension(const Operation & op, const Operand & o, Size d)
{
  check_operand(op, o);
  return position(op.name, o, d, o.batch_dim, o.batch_dim + Size(o.base.size()) + 1);
}

/// The tensor f(a, p), where p is the position of batch dimension d. It has the type of a, and `more`
/// batch dimensions more than a.
template <class A>
A
along_batch(const Operation & op,
            const A & a,
            Size d,
            Size more,
            c10::function_ref<at::Tensor(const at::Tensor &, Size)> f)
{
  const Size p = batch_dimension(op, operand(a), d);
  return A(Trusted(),
           translate_errors(
               op.name, [&] { return f(a, p); }, operand(a)),
           a.batch_dim() + more);
}

/// The Tensor f(a, p), where p is the position of base dimension d among all dimensions. It has the
/// batch dimensions of a.
template <class A>
Tensor
along_base(const Operation & op,
           const A & a,
           Size d,
           c10::function_ref<at::Tensor(const at::Tensor &, Size)> f)
{
  const Size p = base_dimension(op, operand(a), d);
  return Tensor(Trusted(),
                translate_errors(
                    op.name, [&] { return f(a, p); }, operand(a)),
                a.batch_dim());
}
} // namespace neml2::math
