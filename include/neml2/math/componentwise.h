// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/composed/where.h"
#include "neml2/engine/numbers.h"
#include "neml2/math/operators.h"

/// Parts of the functions that work component by component: they check and align the operands, then call LibTorch or run a loop
/// over the numbers.
namespace neml2::math
{
/// The arguments that are tensors, as operands; the others are numbers.
template <class... X>
SmallVector<Operand, 3>
tensors_among(const X &... x)
{
  SmallVector<Operand, 3> o;
  const auto add = [&](const auto & t)
  {
    if constexpr (is_tensor<std::decay_t<decltype(t)>>)
      o.push_back(operand(t));
  };
  (add(x), ...);
  return o;
}

/// The shape to which the operands of a componentwise operation broadcast: the number of batch dimensions, and the base
/// shape.
struct Together
{
  Size batch_dim;
  TensorShape base;

  Size base_dim() const { return Size(base.size()); }
};

/// Checks the operands, and that their batch shapes and their base shapes broadcast, each aligned at the last dimension.
inline Together
check_together(const Operation & op, ArrayRef<Operand> o)
{
  check_operands(op, o);
  TensorShape base;
  for (const auto & x : o)
    if (C10_UNLIKELY(broadcast_into(base, x.base) != 0))
      for (const auto & y : o) // y is one of the operands before x
        check_base_broadcast(op, y, x);
  return {Size(broadcast_batch(op, o).size()), std::move(base)};
}

/// x with base_dim base dimensions if it is a tensor; a number is returned unchanged.
template <class X>
auto
aligned(const X & x, Size base_dim)
{
  if constexpr (is_tensor<X>)
    return align_base(x, x.batch_dim(), base_dim);
  else
    return number(x);
}

/// Calls evaluate_numbers on all components of a, or of a and b with aligned base dimensions.
template <class A, class RowBody, class BatchBody>
A
number_by_number(const Operation & op, const RowBody & row, const BatchBody & batch, const A & a)
{
  check_operand(op, operand(a));
  return A(Trusted(),
           evaluate_numbers(op, A::type_name, row, batch, static_cast<const at::Tensor &>(a)),
           a.batch_dim());
}
template <class A, class B, class RowBody, class BatchBody>
elementwise_t<A, B>
number_by_number(
    const Operation & op, const RowBody & row, const BatchBody & batch, const A & a, const B & b)
{
  const Together r = check_together(op, tensors_among(a, b));
  const at::Tensor x = aligned(a, r.base_dim()), y = aligned(b, r.base_dim());
  return elementwise_t<A, B>(
      Trusted(), evaluate_numbers(op, A::type_name, row, batch, x, y), r.batch_dim);
}

/// number_by_number for an operation that has derivative rules.
template <Accepts accepts = Accepts::floating,
          class Op,
          class BatchBody,
          class... X,
          class = if_operation<Op>>
auto
number_by_number(const Op & op, const BatchBody & batch, const X &... x)
{
  return number_by_number(Operation(Op::name, accepts), op, batch, x...);
}

/// f(a) component by component.
template <class A>
A
componentwise(const Operation & op,
              const A & a,
              c10::function_ref<at::Tensor(const at::Tensor &)> f)
{
  check_operand(op, operand(a));
  return A(Trusted(),
           translate_errors(
               op.name, [&] { return f(a); }, operand(a)),
           a.batch_dim());
}

/// f(a, b) component by component; f gets a and b with aligned base dimensions.
template <class A, class B>
elementwise_t<A, B>
componentwise(const Operation & op,
              const A & a,
              const B & b,
              c10::function_ref<at::Tensor(const at::Tensor &, const at::Tensor &)> f)
{
  const Together r = check_together(op, tensors_among(a, b));
  const at::Tensor x = aligned(a, r.base_dim()), y = aligned(b, r.base_dim());
  return elementwise_t<A, B>(Trusted(),
                             translate_errors(
                                 op.name, [&] { return f(x, y); }, tensors_among(a, b)),
                             r.batch_dim);
}

using composed::select;

/// Whether only the values are needed, without derivatives.
template <class... T>
bool
only_values(const T &... t)
{
  return are_fusible({all_batch({&t, "Tensor", 0, {}})...});
}
} // namespace neml2::math
