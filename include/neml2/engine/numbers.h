// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/evaluate.h"

#include <cmath>

/// Functions that work number by number, on tensors whose dimensions are all batch dimensions.
namespace neml2::engine
{
/// All components of a tensor, each as a separate row.
class NEML2_ONE_A_PROGRAM Numbers : public neml2::Tensor
{
public:
  explicit Numbers(const at::Tensor & t) : neml2::Tensor(t, t.dim()) {}
};

/// The type that stands for an argument X of evaluate_numbers: numbers_t in derivative rules, each_number in tiles.
template <class X>
using numbers_t = std::conditional_t<std::is_arithmetic_v<X>, double, Numbers>;
template <class>
using each_number = Number;

inline Operand
operand_of_numbers(const char * type, const at::Tensor & t)
{
  return {&t, type, t.dim(), {}};
}
inline Operand
operand_of_numbers(const char *, const double & x)
{
  return operand(x);
}

/// The rule of an operation on numbers; a formula that is not an operation has no rule.
template <class Op, class... X>
std::shared_ptr<const Gradient>
rule_of_numbers()
{
  if constexpr (std::is_empty_v<Op> && has_name<Op>)
    return rule_of<Op, numbers_t<X>...>();
  else
    return nullptr;
}

/// Applies row(x...) number by number to plain numbers and to tensors whose dimensions are aligned. Where possible the call runs fused,
/// with the derivative rule of the operation on Numbers. Otherwise batch(x...) calls LibTorch. Both compute tensors of float32 in float32.
/// The operands have already been checked.
template <class Row, class BatchBody, class... X>
at::Tensor
evaluate_numbers(const Operation & op,
                 const char * type,
                 const Row & row,
                 const BatchBody & batch,
                 const X &... x)
{
  using Tile = ForwardTile<Row, Types<Number>, Types<each_number<X>...>>;
  const Operand o[] = {operand_of_numbers(type, x)...};
  const TensorShape shape = broadcast_batch(op, o);
  const TensorShapeRef bases[] = {Number::base_shape};
  const auto composed = [&](at::Tensor * r)
  {
    call_translated(
        op.name, [&] { *r = batch(x...); }, o);
  };
  at::Tensor r;
  const auto rows = row_formula_in_float32<Tile, int(sizeof...(X))>(row);
  evaluate({op, o, shape, rows, bases, composed, rule_of_numbers<Row, X...>}, &r);
  return r;
}
} // namespace neml2::engine
